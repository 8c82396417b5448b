import { describe, expect, it } from 'vitest';
import { baselineText, noticeText } from '../../../src/runtime/record/preparation-text.ts';
import type { BaselineView, NoticeView, SetupView } from '../../../src/runtime/record/run-view.ts';
import { setupLine } from '../../../src/surfaces/cli/output/preparation-lines.ts';

const SETUP: SetupView = {
  checkout: 'work',
  digest: null,
  cache_hit: false,
  commands: [{ command: 'npm ci', exit_code: 0, duration_ms: 12_000 }],
  outcome: 'completed',
  reason: null,
};

describe('the line about a setup', () => {
  it.each<[Partial<SetupView>, string]>([
    [{}, 'setup: npm ci, 12.0 s'],
    [{ checkout: 'judge' }, 'setup of the judge checkout: npm ci, 12.0 s'],
    [{ cache_hit: true, commands: [] }, 'setup: from the cache'],
    [{ commands: [] }, 'setup: nothing to run'],
    [
      { commands: [...SETUP.commands, { command: 'npm run build', exit_code: 0, duration_ms: 500 }] },
      'setup: npm ci, npm run build, 12.5 s',
    ],
    [{ outcome: 'error', reason: 'npm ci exited with 1' }, 'setup failed: npm ci exited with 1'],
    [
      { outcome: 'error', reason: 'setup: `npm ci` exited with code 1\nnpm error a\nnpm error b' },
      'setup failed: `npm ci` exited with code 1',
    ],
    [{ outcome: 'error', checkout: 'judge' }, 'setup of the judge checkout failed'],
  ])('%o', (fields, expected) => {
    expect(setupLine({ ...SETUP, ...fields })).toBe(expected);
  });
});

const BASELINE: BaselineView = {
  outcome: 'green',
  cached: false,
  validators: [
    { id: 'tests', ran: true, outcome: 'completed', exit_code: 0, reason: null },
    { id: 'lint', ran: true, outcome: 'completed', exit_code: 0, reason: null },
  ],
  cases: null,
  reason: null,
};
const FAILED: BaselineView['validators'] = [
  { id: 'tests', ran: true, outcome: 'error', exit_code: 1, reason: null },
  { id: 'lint', ran: true, outcome: 'completed', exit_code: 0, reason: null },
];

describe('the sentence about a baseline', () => {
  it.each<[Partial<BaselineView>, string]>([
    [{}, '`tests`, `lint` pass at the base'],
    [{ cached: true }, '`tests`, `lint` pass at the base; kept from an earlier run'],
    [{ cases: { failing: 0, passing: 14, total: 14 } }, 'all 14 tests pass at the base'],
    [{ validators: [] }, 'no check ran at the base'],
    [
      { validators: [{ id: 'harness', ran: false, outcome: null, exit_code: null, reason: 'not at base' }] },
      'no check ran at the base; `harness` did not run: not at base',
    ],
    [
      { outcome: 'red', validators: FAILED, cases: { failing: 2, passing: 12, total: 14 } },
      '2 of 14 tests already fail at the base',
    ],
    [
      { outcome: 'red', validators: FAILED, cases: { failing: 1, passing: 13, total: 14 } },
      '1 of 14 tests already fails at the base',
    ],
    [{ outcome: 'red', validators: FAILED }, '`tests` already fails at the base'],
    [
      { outcome: 'unable', reason: 'tests exited with 127' },
      "the checks can't run in this environment: tests exited with 127",
    ],
    [{ outcome: 'off', validators: [] }, 'switched off'],
  ])('%o', (fields, expected) => {
    expect(baselineText({ ...BASELINE, ...fields })).toBe(expected);
  });
});

const NOTICE: NoticeView = {
  kind: 'checkout_changed',
  subject: 'refs/heads/x',
  old: 'a'.repeat(40),
  new: 'b'.repeat(40),
  message: 'refs/heads/x moved',
  salvage_ref: null,
  stepId: 'implement',
  seq: 7,
};
const WHILE = "changed in your checkout while `implement` ran; conductor can't tell by whom:";

describe('the sentence about a notice', () => {
  it.each<[Partial<NoticeView>, string]>([
    [{}, `${WHILE} refs/heads/x (aaaaaaaaaaaa → bbbbbbbbbbbb)`],
    [{ old: null }, `${WHILE} refs/heads/x (new: bbbbbbbbbbbb)`],
    [{ new: null }, `${WHILE} refs/heads/x (deleted, was aaaaaaaaaaaa)`],
    [{ subject: 'notes.txt', old: null, new: 'modified' }, `${WHILE} notes.txt (new: modified)`],
    [{ old: null, new: null }, `${WHILE} refs/heads/x`],
    [
      { salvage_ref: 'refs/conductor/salvage/r/x' },
      `${WHILE} refs/heads/x (aaaaaaaaaaaa → bbbbbbbbbbbb); the old value is kept in refs/conductor/salvage/r/x`,
    ],
    [{ kind: 'branch_left_alone', message: 'the branch is checked out' }, 'the branch is checked out'],
  ])('%o', (fields, expected) => {
    expect(noticeText({ ...NOTICE, ...fields })).toBe(expected);
  });
});
