import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { harnessReportSchema } from '../../../src/contracts/run/harness-report.ts';
import { composeReport } from '../../../src/reports/compose-report.ts';
import { readTestReport } from '../../../src/reports/convert.ts';
import type { ReportForm } from '../../../src/reports/report-source.ts';
import { numberOfRuns } from '../number-of-runs.ts';
import { FOLDER } from './reading.ts';

const recorded = (name: string) =>
  readFileSync(new URL(`../../fixtures/reports/${name}`, import.meta.url), 'utf8');
const vitest = JSON.stringify({
  startTime: 1,
  testResults: [
    {
      name: `${FOLDER}/a.test.ts`,
      status: 'failed',
      message: 'm',
      endTime: 5,
      assertionResults: [
        { ancestorTitles: ['s'], title: 't', status: 'failed', duration: 2, failureMessages: ['no'] },
        { ancestorTitles: [], title: 'u', status: 'passed', failureMessages: [] },
      ],
    },
  ],
});
const tap = [
  'TAP version 14',
  '# Subtest: s',
  '    not ok 1 - a # skip why',
  '      ---',
  "      location: 'x:1:2'",
  '      error: |-',
  '        text',
  '      ...',
  '    ok 2 - b # time=3ms {',
  '        ok 1',
  '    }',
  '    1..2',
  'not ok 1 - s',
  'Bail out! end',
  '1..1',
].join('\n');

const SAMPLES: readonly [ReportForm, string][] = [
  ['junit', recorded('pytest.xml')],
  ['tap', tap],
  ['vitest-json', vitest],
  ['playwright-json', recorded('playwright.json')],
];

/** A good text with pieces taken out, put in and put elsewhere. */
function damaged(text: string): fc.Arbitrary<string> {
  const piece = fc.oneof(
    fc.constantFrom(
      '<',
      '>',
      '"',
      '&',
      '{',
      '}',
      '[',
      ']',
      '\n',
      '    ',
      '0',
      'null',
      '<failure>',
      '</testcase>',
      '1..9',
      '...',
    ),
    fc.string({ unit: 'binary', maxLength: 5 }),
  );
  const at = fc.nat({ max: text.length });
  const edit = fc.record({ from: at, length: fc.nat({ max: 40 }), piece });
  return fc
    .array(edit, { maxLength: 6 })
    .map((edits) =>
      edits.reduce(
        (now, { from, length, piece: put }) => now.slice(0, from) + put + now.slice(from + length),
        text,
      ),
    );
}

it.each(SAMPLES)(
  'any text is read as %s or refused with a reason, and what is read makes a report',
  (form, sample) => {
    const invoked = { command: ['npm', 'test'], folders: [FOLDER] };
    const read = (text: string) => {
      const reading = readTestReport(form, text, invoked);
      if (!reading.ok) {
        expect(reading.why).not.toBe('');
        return;
      }
      const report = composeReport(reading, {
        suiteId: 'tests',
        generatedAt: '2026-02-09T14:30:00Z',
        command: invoked.command,
        folder: '',
        exitCode: 1,
        lastOutput: '',
        durationMs: 1,
        failedBefore: new Set(),
        referenceOf: (path) =>
          path
            .split('/')
            .filter((part) => part !== '' && part !== '..')
            .join('/'),
      });
      expect(harnessReportSchema.safeParse(report).error?.issues ?? []).toEqual([]);
      expect(report.summary.failed).toBeGreaterThan(0);
    };
    read(sample);
    fc.assert(
      fc.property(fc.oneof({ weight: 9, arbitrary: damaged(sample) }, fc.string({ unit: 'binary' })), read),
      {
        numRuns: numberOfRuns(100),
      },
    );
  },
);
