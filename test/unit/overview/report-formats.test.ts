import { describe, expect, test } from 'vitest';
import type { Report } from '../../../src/contracts/cli/cli-report-document.ts';
import type { RunSummary } from '../../../src/contracts/run/run-summary.ts';
import { composeReport } from '../../../src/overview/compose-report.ts';
import { renderHtml } from '../../../src/overview/render-html.ts';
import { renderMarkdown } from '../../../src/overview/render-markdown.ts';
import { describeDisk, describeRun, explainSpent } from '../../../src/overview/report-lines.ts';
import { formatTokenRow, spendOfStart, sumSpend } from '../../../src/overview/spend.ts';
import { renderReport } from '../../../src/surfaces/cli/output/report-text.ts';
import { NOW, repositoryWith, SINCE, startWith, summaryWith, UNENDED } from './summary-fixture.ts';

const FORMAT = { time: (iso: string) => iso, duration: (ms: number) => `${ms} ms` };
const plain = (text: string) => text;
const PAINT = {
  bold: plain,
  dim: plain,
  red: plain,
  green: plain,
  yellow: plain,
  blue: plain,
  enabled: false,
};

/** Texts that an agent, a branch name or a test could contain. */
const HOSTILE = [
  '\u001b[31mred\u001b[2J',
  '\u001b]8;;https://evil.example\u0007link\u001b]8;;\u0007',
  '\u202egnp.exe\u2066',
  '<script>alert(1)</script><img src=x onerror=alert(2)>',
  '"><iframe srcdoc="x">',
  '[click](javascript:alert(3)) ![i](https://evil.example/i.png)',
  'first\nsecond\r\n- # third',
].join(' ');

const NO_CLAIMS = { confirmed: 0, contradicted: 0, unverified: 0, contradicted_texts: [] };

function hostileReport(): Report {
  const hostile = {
    title: HOSTILE,
    workflow_id: HOSTILE,
    reason: HOSTILE,
    first_cause: HOSTILE,
    branch: HOSTILE,
    salvage_refs: [HOSTILE],
    claims: { confirmed: 0, contradicted: 1, unverified: 0, contradicted_texts: [HOSTILE] },
    last_message: { step_id: HOSTILE, lines: [HOSTILE], more: 3 },
    starts: [startWith({ agent: HOSTILE })],
  };
  const gate = {
    step_id: HOSTILE,
    gate: HOSTILE,
    reason: HOSTILE,
    requested_at: NOW,
    expires_at: null,
    answer: null,
  };
  return composeReport({
    now: NOW,
    scope: { kind: 'since', since: SINCE },
    repositories: [
      repositoryWith({
        name: HOSTILE,
        runs: [
          { summary: summaryWith({ ...hostile, outcome: 'error' }), isDriven: false },
          {
            summary: summaryWith({ ...hostile, outcome: 'budget', claims: NO_CLAIMS }),
            isDriven: false,
          },
          {
            summary: summaryWith({
              ...hostile,
              outcome: 'cancelled',
              claims: NO_CLAIMS,
              cancel: { by: HOSTILE, reason: HOSTILE },
            }),
            isDriven: false,
          },
          { summary: summaryWith({ ...hostile, ...UNENDED, awaiting: gate }), isDriven: false },
        ],
        questions: [
          {
            itemId: '3',
            title: HOSTILE,
            status: 'blocked',
            question: HOSTILE,
            commands: ['conductor work show 3'],
          },
        ],
        unreadable: [{ subject: HOSTILE, problem: HOSTILE }],
      }),
    ],
  });
}

describe('hostile texts in a report', () => {
  const report = hostileReport();
  const formats = {
    text: renderReport({ paint: PAINT, width: 80 }, report),
    markdown: renderMarkdown(report, FORMAT),
    html: renderHtml(report, FORMAT),
  };
  test.each(Object.entries(formats))('keep no control or bidirectional character in %s', (_name, text) => {
    expect(text).toContain('Needs you');
    expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
  });
  test('become no element or attribute of the page', () => {
    const tags = [...formats.html.matchAll(/<(?!!doctype|\/)([a-z0-9]+)/gi)].map(([, name]) => name);
    const known =
      'html head meta title style body main h1 p section h2 span article h3 code ul li details summary blockquote div table thead tr th tbody td';
    expect(new Set(tags)).toEqual(new Set(known.split(' ').filter((name) => tags.includes(name))));
    expect(formats.html).not.toMatch(/<[^>]*\b(?:on\w+|src|href|srcdoc)\s*=/i);
    expect(formats.html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
  });
  test('become no HTML, link or image in Markdown', () => {
    expect(formats.markdown).not.toMatch(/(?<!\\)<|(?<!\\)\]\(|(?<!\\)!\[/);
  });
  test('start no line of their own', () => {
    expect(formats.text).not.toMatch(/^\s*(?:second|- # third)/m);
    expect(formats.markdown).not.toMatch(/^\s*(?:second|- # third)/m);
  });
});

test('the page allows no script, loads nothing and fits a phone and a dark screen', () => {
  const page = renderHtml(hostileReport(), FORMAT);
  expect(page).toContain(
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">`,
  );
  expect(page).toContain('name="viewport" content="width=device-width, initial-scale=1"');
  expect(page).toContain('prefers-color-scheme: dark');
  expect(page).not.toMatch(/<script|@import|url\(/i);
});

test('a line on the terminal says what came of the run, what it cost and where the result is', () => {
  const runs = [{ summary: summaryWith({ starts: [startWith()] }), isDriven: false }];
  const report = composeReport({
    now: NOW,
    scope: { kind: 'since', since: SINCE },
    repositories: [repositoryWith({ runs })],
  });
  expect(renderReport({ paint: PAINT, width: 200 }, report)).toBe(
    [
      'Done (1)',
      '  Add a --quiet flag',
      '    0199ab12  implement  shop  4 h ago',
      '    2 files, +10 -3; 2 of 2 checks passed; claims: 1 confirmed',
      '    branch conductor/run/implement/1',
      '    cost $0.41; tokens 1,000 in, 200 out; agent time 1 m 00 s',
      '',
      'Spent',
      '  agent claude        1 run  $0.41  1,000 in, 200 out  1 m 00 s',
      '  workflow implement  1 run  $0.41  1,000 in, 200 out  1 m 00 s',
      '  total               1 run  $0.41  1,000 in, 200 out  1 m 00 s',
      '',
    ].join('\n'),
  );
});

test.each([
  [true, 'disk: 2.5 kB of records, 10 B of workspaces'],
  [false, 'disk: at least 2.5 kB of records, 10 B of workspaces'],
])('disk use that was measured completely (%s) is `%s`', (isComplete, text) => {
  expect(describeDisk({ runs_bytes: 2500, workspaces_bytes: 10, is_complete: isComplete })).toBe(text);
});

describe('the first sentence about a run', () => {
  const sentenceOf = (change: Partial<RunSummary>): string => {
    const runs = [{ summary: summaryWith(change), isDriven: false }];
    const scope = { kind: 'since', since: SINCE } as const;
    const report = composeReport({ now: NOW, scope, repositories: [repositoryWith({ runs })] });
    const [line] = report.sections.flatMap((section) => section.runs);
    return line === undefined ? '' : (describeRun(line, FORMAT)[0] ?? '');
  };
  const by = { by: 'ann', reason: null };
  test.each<readonly [string, Partial<RunSummary>]>([
    ['cancelled by ann', { outcome: 'cancelled', cancel: by, reason: 'cancelled by ann' }],
    ['cancelled by ann: too slow', { outcome: 'cancelled', cancel: by, reason: 'too slow' }],
    ['rejected by ann: no', { outcome: 'rejected', first_cause: 'rejected by ann: no', reason: 'no' }],
    ['error: errors in a.js', { outcome: 'error', first_cause: 'errors in a.js' }],
    [
      'budget: tests failed: too expensive',
      { outcome: 'budget', first_cause: 'tests failed', reason: 'too expensive' },
    ],
    [
      'parked at implement, due 2026-11-18T05:00:00.000Z: limit',
      { ...UNENDED, parked: { step_id: 'implement', until: '2026-11-18T05:00:00.000Z', reason: 'limit' } },
    ],
  ])('is `%s`', (sentence, change) => {
    expect(sentenceOf(change)).toBe(sentence);
  });
});

test('what no agent reported is unknown, and a part of a sum is at least', () => {
  const [none, some] = [
    startWith({ usage: { input_tokens: 5, output_tokens: null, cost_usd: null } }),
    startWith(),
  ];
  const one = spendOfStart(none);
  expect(formatTokenRow(sumSpend([one, one]))).toBe('10 in, unknown out');
  expect(formatTokenRow(sumSpend([one, spendOfStart(some)]))).toBe('1,005 in, ≥ 200 out');
  const runs = [{ summary: summaryWith({ starts: [none, some] }), isDriven: false }];
  const scope = { kind: 'since', since: SINCE } as const;
  const report = composeReport({ now: NOW, scope, repositories: [repositoryWith({ runs })] });
  expect(explainSpent(report)).toBe(
    '≥ is at least; of 2 starts of agents: 1 without cost, 1 without output tokens',
  );
});
