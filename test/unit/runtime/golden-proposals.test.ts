import { describe, expect, it } from 'vitest';
import type { GoldenProposal } from '../../../src/contracts/run/golden-proposal.ts';
import { INITIAL_STATE } from '../../../src/kernel/state.ts';
import type { RunDirectory } from '../../../src/ports/run-store.ts';
import { patchSections } from '../../../src/runtime/evidence/patch-sections.ts';
import { proposalsIn, proposalTitle } from '../../../src/runtime/goldens/golden-proposal.ts';
import { pendingProposals } from '../../../src/runtime/goldens/pending-proposals.ts';
import { pathsConflict, readGoldenPath } from '../../../src/runtime/goldens/propose-goldens.ts';
import type { StepView } from '../../../src/runtime/record/run-view.ts';

describe('the path of a golden', () => {
  it.each([
    ['goldens/a.txt', 'goldens/a.txt'],
    ['./goldens//a.txt', 'goldens/a.txt'],
    ['a/.gitignore', 'a/.gitignore'],
    ['sub/.tnh/x', 'sub/.tnh/x'],
    ['...', '...'],
  ])('%s is %s', (text, path) => expect(readGoldenPath(text)).toEqual({ ok: true, path }));

  it.each([
    '',
    '.',
    './',
    '/',
    '/a',
    'a/',
    '..',
    'a/..',
    '../a',
    '.git',
    'a/.Git/b',
    '.TNH/x',
    'a\0b',
    'a\tb',
  ])('%j is refused', (text) => expect(readGoldenPath(text)).toMatchObject({ ok: false }));

  it.each<[string, string, boolean]>([
    ['a', 'a', true],
    ['a/b', 'a', true],
    ['a', 'a/b', true],
    ['ab', 'a', false],
    ['a/b', 'a/c', false],
  ])("%s beside %s can't be: %s", (one, other, expected) => expect(pathsConflict(one, other)).toBe(expected));
});

describe('a patch', () => {
  it('is shown file by file from its first hunk on', () => {
    const patch = [
      'diff --git a/a b/a',
      'index 1..2 100644',
      '--- a/a',
      '+++ b/a',
      '@@ -1 +1 @@',
      '-diff --git x',
      '+new',
      'diff --git a/p.png b/p.png',
      'GIT binary patch',
      '',
    ].join('\n');
    expect(patchSections(patch)).toEqual(['@@ -1 +1 @@\n-diff --git x\n+new', '']);
  });

  it('is cut where it gets long or wide', () => {
    const lines = Array.from({ length: 100 }, (_, at) => `+${at}${'x'.repeat(1_000)}`);
    const [section = ''] = patchSections(`diff --git a/a b/a\n@@ -0,0 +1,100 @@\n${lines.join('\n')}\n`);
    expect(section.split('\n')).toHaveLength(41);
    expect(section).toMatch(/… and 61 more lines$/);
    expect(Math.max(...section.split('\n').map((line) => line.length))).toBeLessThan(410);
  });

  it('that is empty shows nothing', () => expect(patchSections('')).toEqual([]));
});

/** A run directory that holds the reports of some entries of one validation, by attempt. */
function directoryWith(reports: Readonly<Record<number, unknown>>): RunDirectory {
  const files = new Map<string, unknown>();
  for (const [attempt, report] of Object.entries(reports)) {
    const folder = attempt === '1' ? 'artifacts/check' : `artifacts/check@${attempt}`;
    const copy = { reference: 'harness/p', path: `${folder}/p`, sha256: 's', bytes: 1 };
    files.set(`${folder}/r.json`, report);
    files.set(`${folder}/references-1.json`, {
      key: 'check/harness',
      report: `${folder}/r.json`,
      files: [copy],
      problems: [],
    });
    files.set(`${folder}/manifest.json`, {
      step_id: 'check',
      opcode: 'RUN_VALIDATION',
      attempt: Number(attempt),
      started_at: '',
      ended_at: '',
      termination: 'completed',
      evidence_summary: '',
      artifacts: [
        {
          role: 'harness_references',
          path: `${folder}/references-1.json`,
          media_type: '',
          sha256: '',
          bytes: 0,
          required: false,
          important: false,
        },
      ],
    });
  }
  const read = async (path: string) => (files.has(path) ? JSON.stringify(files.get(path)) : null);
  return { read } as Partial<RunDirectory> as RunDirectory;
}

function entries(...attempts: number[]): StepView[] {
  return attempts.map((attempt) => ({
    stepId: 'check',
    opcode: 'RUN_VALIDATION',
    attempt,
    visit: attempt,
    recovery: false,
    parked: false,
    flaky: [],
    startedAt: '',
    endedAt: '',
    termination: 'completed',
    reason: null,
  }));
}

function pending(reports: Readonly<Record<number, unknown>>, ...attempts: number[]) {
  const state = { ...INITIAL_STATE, pendingGoldens: ['check/harness'] };
  return pendingProposals(directoryWith(reports), { state, steps: entries(...attempts) });
}

const reportOf = (...proposals: unknown[]) => ({ proposed_goldens: proposals });

describe('pending proposals', () => {
  it('are those of the latest report, also when a later entry left none', async () => {
    const found = await pending({ 1: reportOf('a'), 2: reportOf('b', 'c') }, 1, 2, 3);
    expect(found.map(({ goldenPath, attempt }) => `${goldenPath} ${attempt}`)).toEqual(['b 2', 'c 2']);
  });

  it('have their bytes only where these were captured', async () => {
    const found = await pending(
      {
        1: reportOf(
          { golden_path: 'a', proposed_path: 'harness/p' },
          { golden_path: 'b', proposed_path: 'q' },
          'c',
        ),
      },
      1,
    );
    expect(found.map(({ proposed, namesBytes }) => [proposed?.path ?? null, namesBytes])).toEqual([
      ['artifacts/check/p', true],
      [null, true],
      [null, false],
    ]);
  });

  it.each<[string, unknown, number]>([
    ['an object in the place of a list', { proposed_goldens: { one: { golden_path: 'a' }, two: 'b' } }, 2],
    ['a text in the place of a list', { proposed_goldens: 'a' }, 1],
    ['what is no proposal at all', reportOf(null, 7, []), 3],
    ['a report that is no report', 'x', 0],
  ])('are read from %s', async (_, report, count) => {
    expect(await pending({ 1: report }, 1)).toHaveLength(count);
  });

  it.each<[string, unknown, number | null]>([
    ['the proposal says so', reportOf({ golden_path: 'a.png', pixels: 12 }), 12],
    [
      'an observation that names it says so',
      {
        ...reportOf({ golden_path: 'a.png' }),
        cases: [{ observations: ['b.png: 3 pixels', 'a.png: 7 of 900 pixels differ'] }],
      },
      7,
    ],
    [
      'another one is counted',
      { ...reportOf({ golden_path: 'a.png' }), cases: [{ observations: ['b.png: 3 pixels'] }] },
      null,
    ],
    [
      'an observation names its id alone',
      {
        ...reportOf({ golden_path: 'web/goldens/a.png', id: 'a.png' }),
        cases: [{ observations: ['goldens/a.png differs in 12 of 900 pixels'] }],
      },
      12,
    ],
    ['the count is none', reportOf({ golden_path: 'a.png', pixels: -1 }), null],
  ])('have a count of pixels when %s', async (_, report, pixels) => {
    expect((await pending({ 1: report }, 1))[0]?.pixels).toBe(pixels);
  });
});

describe('what a proposal would do', () => {
  const proposal: GoldenProposal = {
    id: 'a',
    golden_path: 'a.txt',
    kind: 'text',
    validator: 'check/harness',
    step_id: 'check',
    attempt: 1,
    proposed: { path: 'p', sha256: 'new', bytes: 5 },
    diff: null,
    golden: { exists: true, sha256: 'old', bytes: 3 },
    acceptable: true,
    why: null,
    pixels: null,
    insertions: 1,
    deletions: 2,
    difference: null,
  };

  it.each<[string, Partial<GoldenProposal>]>([
    ['a.txt (text) by check/harness: 3 -> 5 bytes, +1 -2', {}],
    [
      'a.txt by check/harness: new, 5 bytes',
      { kind: null, insertions: null, golden: { exists: false, sha256: null, bytes: null } },
    ],
    [
      'a.txt (text) by check/harness: 5 bytes, +1 -2',
      { golden: { exists: null, sha256: null, bytes: null } },
    ],
    [
      'a.txt (text) by check/harness: 3 -> 5 bytes, the same',
      { golden: { exists: true, sha256: 'new', bytes: 3 } },
    ],
    [
      "a (text) by check/harness: can't be accepted, it has no golden_path",
      { golden_path: null, acceptable: false, why: 'it has no golden_path' },
    ],
  ])('is shown as: %s', (text, change) => expect(proposalTitle({ ...proposal, ...change })).toBe(text));

  it('is read from a request, and not from one of an earlier version', () => {
    expect(proposalsIn({ proposed_goldens: [proposal, 'a.txt', { id: 'g' }] })).toEqual([proposal]);
    expect(proposalsIn({})).toEqual([]);
  });
});
