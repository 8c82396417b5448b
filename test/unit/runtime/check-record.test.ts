import { describe, expect, it } from 'vitest';
import {
  describeChecks,
  describeJudges,
  type JudgesRecord,
  type ValidationRecord,
  validationRecordSchema,
} from '../../../src/runtime/verify/check-record.ts';

const PLAIN = {
  mechanical_outcome: 'completed',
  exit_codes: { tests: 0 },
  timeouts: [],
  required_artifacts: [],
  missing_artifacts: [],
};

function record(facts: Partial<ValidationRecord> = {}): ValidationRecord {
  return validationRecordSchema.parse({ ...PLAIN, ...facts });
}

function judges(fields: Partial<JudgesRecord>): JudgesRecord {
  return { changed: [], commands: [], inline: [], probes: [], with_base: null, ...fields };
}
const PASSED = { id: 'tests', outcome: 'completed', exit_code: 0, failed_cases: [] };
const FAILED = { id: 'tests', outcome: 'error', exit_code: 1, failed_cases: ['slug > trims'] };

interface Case {
  readonly name: string;
  readonly facts: Partial<ValidationRecord>;
  readonly lines: readonly string[];
}

const CASES: readonly Case[] = [
  { name: 'records of earlier versions', facts: {}, lines: [] },
  {
    name: 'tests that already fail at the base',
    facts: { baseline: { failing: 2, passing: 12, total: 14 } },
    lines: ['2 of 14 tests already fail at the base'],
  },
  {
    name: 'a base where every test passes',
    facts: { baseline: { failing: 0, passing: 14, total: 14 } },
    lines: [],
  },
  {
    name: 'regressions by name',
    facts: { baseline: { failing: 1, passing: 1, total: 2 }, regressions: ['cart > adds'] },
    lines: ['1 of 2 tests already fails at the base', 'passed at the base and fail now: cart > adds'],
  },
  {
    name: 'the first eight of many names',
    facts: { regressions: Array.from({ length: 10 }, (_, at) => `t${at}`) },
    lines: ['passed at the base and fail now: t0, t1, t2, t3, t4, t5, t6, t7 and 2 more'],
  },
  {
    name: 'edited tests that don’t decide the verdict',
    facts: { judges: judges({ changed: ['test/a.test.js'], with_base: [PASSED] }) },
    lines: ['the change edits test/a.test.js; the checks pass with and without these edits'],
  },
  {
    name: 'edited tests that decide it, with both results',
    facts: {
      judge_changed: ['test/a.test.js'],
      judges: judges({ changed: ['test/a.test.js'], with_base: [FAILED, { ...PASSED, id: 'lint' }] }),
    },
    lines: [
      'the change edits test/a.test.js, so the checks ran with the edits and once more with these files as at the base',
      'with the edits: tests passed; lint passed',
      'with the files of the base: tests failed (exit code 1), 1 test passes only with the edits: slug > trims; lint passed',
    ],
  },
  {
    name: 'a second pass that was stopped, without an exit code',
    facts: {
      judge_changed: ['conftest.py'],
      judges: judges({
        changed: ['conftest.py'],
        with_base: [{ id: 'tests', outcome: 'killed_timeout', exit_code: null, failed_cases: [] }],
      }),
    },
    lines: [
      'the change edits conftest.py, so the checks ran with the edits and once more with these files as at the base',
      'with the edits: tests passed',
      'with the files of the base: tests failed (killed_timeout)',
    ],
  },
  {
    name: 'edited tests of checks that fail anyway: there is no second pass',
    facts: { judges: judges({ changed: ['test/a.test.js'], with_base: null }) },
    lines: [],
  },
  {
    name: 'an edited command',
    facts: {
      judge_changed: ['package.json: scripts.test'],
      judges: judges({ commands: ['package.json: scripts.test'] }),
    },
    lines: ['the change edits the command of a check: package.json: scripts.test'],
  },
  {
    name: 'tests inside of the code',
    facts: { judge_changed: ['src/lib.rs: tests'], judges: judges({ inline: ['src/lib.rs'] }) },
    lines: ["the change edits tests inside of src/lib.rs, which can't be run as at the base"],
  },
  {
    name: 'fewer checks by name',
    facts: { fewer_checks: { base: 14, now: 11, missing: ['a', 'b'], skipped: ['c'] } },
    lines: ['11 tests ran, 14 ran at the base', 'no longer there: a, b', 'now skipped: c'],
  },
  {
    name: 'no test at all',
    facts: { fewer_checks: { base: 14, now: 0, missing: [], skipped: [] } },
    lines: ['0 tests ran, 14 ran at the base'],
  },
  {
    name: 'one test only',
    facts: { fewer_checks: { base: 14, now: 1, missing: [], skipped: [] } },
    lines: ['1 test ran, 14 ran at the base'],
  },
  {
    name: 'tests that can’t show whether the task was done',
    facts: { tests_show_nothing: true },
    lines: [
      "all tests passed at the base and no test was added: the tests don't show whether the task was done",
    ],
  },
  {
    name: 'key files of setup that changed',
    facts: { setup_keys: ['package-lock.json'] },
    lines: ['package-lock.json changed, so setup ran again for the checks'],
  },
  {
    name: 'a check that can no longer start',
    facts: { environment_failures: ['tests'] },
    lines: ["tests ran at the base and can't start now, and the change is not the reason"],
  },
];

describe('the sentences about checks mention', () => {
  it.each(CASES)('$name', ({ facts, lines }) => {
    expect([...describeJudges(record(facts)), ...describeChecks(record(facts))]).toEqual(lines);
  });
});
