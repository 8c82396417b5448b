import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MECHANICAL_OUTCOMES, PLANNER_STATUSES } from '../../../src/contracts/vocabulary.ts';
import { evaluate } from '../../../src/planner/table/evaluate.ts';
import { numberOfRuns } from '../number-of-runs.ts';
import { decideByPage, envelopeOf, type Situation } from './page-oracle.ts';

const CALM: Situation = {
  intent: 'implementation',
  claims: [],
  blocker: false,
  changed: true,
  runChanged: undefined,
  events: [],
  outcome: 'completed',
  exitCodes: { tests: 0 },
  timeouts: [],
  missing: false,
  flaky: false,
  sources: undefined,
  environment: [],
  judges: [],
  fewer: false,
  report: null,
  review: null,
  window: [],
  refinement: null,
};

const GREEN = { readable: true, cases: { a: 'passed' }, adds: true, golden: false, ux: null } as const;
const EVALUATED = {
  evaluation: true,
  status: 'partial',
  contradiction: false,
  codes: [],
  sameFiles: false,
} as const;

/** One value for each field that makes a row match, by the words of the page. */
const FACTS: Readonly<Record<string, Partial<Situation>>> = {
  'a policy violation': { events: ['forbidden_path'] },
  'an approval event': { events: ['requires_approval'] },
  'a report that says pass': { report: GREEN },
  'a report that does not add up': { report: { ...GREEN, adds: false } },
  "a report that can't be read": { report: { ...GREEN, readable: false } },
  'a proposed golden': { report: { ...GREEN, golden: true } },
  'an interface error': { report: { ...GREEN, ux: 'error' } },
  'an interface note': { report: { ...GREEN, ux: 'info' } },
  'a failed case': { report: { ...GREEN, cases: { a: 'passed', b: 'failed' } } },
  'a failed validator': { exitCodes: { tests: 1 }, outcome: 'error' },
  'a failed validator beside the tests': { exitCodes: { tests: 0, lint: 1 }, outcome: 'error' },
  'no exit code': { exitCodes: {}, outcome: 'error' },
  'a timeout': { timeouts: ['slow'], outcome: 'killed_timeout' },
  'reports of the tests alone': { sources: ['tests'] },
  "tests that can't start": { environment: ['tests'] },
  'a changed judge': { judges: ['test/a.test.ts'] },
  'fewer checks': { fewer: true },
  'a run without a change': { runChanged: false },
  'a step without a change': { changed: false },
  'a missing artifact': { missing: true },
  'a silent review': { review: 'silent' },
  'a review with findings': { review: 'needs-changes' },
  'a step that reviews': { intent: 'review' },
  'a claim of work': { claims: ['implemented'] },
  'a claim of passing tests': { claims: ['tests_pass'] },
  'a claim of a file': { claims: ['created src/a.ts'] },
  'a claim of a file that is nowhere': { claims: ['created gone.ts'] },
  'a blocker of the agent': { blocker: true },
  'a flaky check': { flaky: true },
  'an earlier contradiction': { window: [{ ...EVALUATED, status: 'success', contradiction: true }] },
  'two earlier partial results': { window: [EVALUATED, EVALUATED] },
  'the same reasons as last time': {
    window: [
      {
        ...EVALUATED,
        sameFiles: true,
        codes: ['validator_failed:tests', 'validator_timeout:slow', 'environment', 'spec-gap'],
      },
    ],
  },
  'a timeout last time': { window: [{ ...EVALUATED, codes: ['validator_timeout:slow'] }] },
  'a spent cap': { refinement: { spent: 1, max: 1 } },
};

function evaluated(situation: Situation) {
  const { status, risk_flags: flags, blockers } = evaluate(envelopeOf(situation));
  return { status, flags, codes: [...new Set(blockers.map(({ code }) => code))].sort() };
}

const names = Object.keys(FACTS);

describe('the planner decides as its page says', () => {
  it('when nothing is wrong', () => {
    expect(evaluated(CALM)).toEqual({ status: 'success', flags: [], codes: [] });
    expect(decideByPage(CALM)).toEqual(evaluated(CALM));
  });

  it.each(names)('for %s, with any two of the facts after it', (name) => {
    const after = names.slice(names.indexOf(name));
    for (const [index, second] of after.entries()) {
      for (const third of after.slice(index)) {
        const situation = { ...CALM, ...FACTS[name], ...FACTS[second], ...FACTS[third] };
        expect(evaluated(situation), `${name}; ${second}; ${third}`).toEqual(decideByPage(situation));
      }
    }
  });

  it('and the facts reach every status', () => {
    const statuses = new Set(names.map((name) => decideByPage({ ...CALM, ...FACTS[name] }).status));
    expect([...statuses].sort()).toEqual([...PLANNER_STATUSES].sort());
  });

  it('for any situation', () => {
    fc.assert(
      fc.property(situations, (situation) => {
        expect(evaluated(situation)).toEqual(decideByPage(situation));
      }),
      { numRuns: numberOfRuns(1000) },
    );
  });
});

const validator = fc.constantFrom('tests', 'lint', 'slow');
const code = fc.constantFrom(
  'validator_failed:tests',
  'validator_timeout:slow',
  'case_failed:b',
  'environment',
  'spec-gap',
  'judge_changed',
);

/** Mostly calm, so that the milder rows are seen too. */
function rarely<T>(calm: NoInfer<T>, odd: fc.Arbitrary<T>): fc.Arbitrary<T> {
  return fc.oneof({ weight: 3, arbitrary: fc.constant(calm) }, { weight: 1, arbitrary: odd });
}

const situations: fc.Arbitrary<Situation> = fc.record({
  intent: fc.constantFrom('implementation', 'review'),
  claims: rarely(
    [],
    fc.uniqueArray(
      fc.constantFrom('implemented', 'fixed', 'tests_pass', 'created src/a.ts', 'created gone.ts'),
    ),
  ),
  blocker: rarely(false, fc.boolean()),
  changed: fc.boolean(),
  runChanged: fc.constantFrom(undefined, true, false),
  events: rarely([], fc.uniqueArray(fc.constantFrom('forbidden_path', 'requires_approval', 'note'))),
  outcome: rarely('completed', fc.constantFrom(...MECHANICAL_OUTCOMES)),
  exitCodes: rarely({ tests: 0 }, fc.dictionary(validator, fc.constantFrom(0, 1, 127))),
  timeouts: rarely([], fc.uniqueArray(validator)),
  missing: rarely(false, fc.boolean()),
  flaky: fc.boolean(),
  sources: fc.option(fc.uniqueArray(validator), { nil: undefined }),
  environment: rarely([], fc.uniqueArray(validator)),
  judges: fc.array(fc.constant('test/a.test.ts'), { maxLength: 1 }),
  fewer: rarely(false, fc.boolean()),
  report: fc.option(
    fc.record({
      readable: rarely(true, fc.boolean()),
      cases: fc.dictionary(
        fc.constantFrom('a', 'b'),
        fc.constantFrom('passed', 'failed', 'skipped', 'flaky'),
      ),
      adds: rarely(true, fc.boolean()),
      golden: rarely(false, fc.boolean()),
      ux: fc.option(fc.constantFrom('info', 'error')),
    }),
  ),
  review: fc.option(fc.constantFrom('silent', 'approve', 'needs-changes'), { freq: 1 }),
  window: fc.array(
    fc.record({
      evaluation: fc.boolean(),
      status: fc.constantFrom(...PLANNER_STATUSES),
      contradiction: rarely(false, fc.boolean()),
      codes: fc.uniqueArray(code),
      sameFiles: fc.boolean(),
    }),
    { maxLength: 4 },
  ),
  refinement: fc.option(fc.record({ spent: fc.nat(2), max: fc.nat(2) })),
});
