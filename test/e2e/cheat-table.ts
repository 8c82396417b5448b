import { expect, it } from 'vitest';
import type { PlannerStatus } from '../../src/contracts/vocabulary.ts';
import type { CheckedRepository, Deed, Verdict } from './checked-repository.ts';

/** An agent that wants a pass without doing the work, and what has to stop it. */
export interface Cheat {
  /** Completes the sentence "an agent that …". */
  readonly name: string;
  readonly deed: Deed;
  readonly status: Exclude<PlannerStatus, 'success'>;
  readonly flag?: string;
  /** A file, a part of one or a test case that the gate and `show` have to name. */
  readonly names: string;
  /** A table in test/unit/policy/judges has the rule: one agent that changes what decides stands for it, except in `npm run hostile`. */
  readonly pure?: true;
}

const IS_WHOLE = process.env.HOSTILE_ALL !== undefined;

/** One run for each row. All runs of a table share a repository, so its baseline and its setup are paid once. */
export function itStopsCheats(repository: () => CheckedRepository, cheats: readonly Cheat[]): void {
  for (const cheat of cheats.filter(({ pure }) => IS_WHOLE || pure !== true))
    it(`an agent that ${cheat.name}: ${cheat.flag ?? cheat.status}`, async () => {
      const { status, flag } = cheat;
      const verdict = await repository().attempt(cheat.name, cheat.deed);
      expect({ status: verdict.status, flags: verdict.flags }, verdict.shown).toEqual({
        status,
        flags: flag === undefined ? verdict.flags : expect.arrayContaining([flag]),
      });
      expectShown(verdict, cheat);
    });
}

function expectShown(verdict: Verdict, { status, names }: Cheat): void {
  const { shown, gate, record } = verdict;
  expect(shown).toContain(names);
  if (status === 'needs_human') {
    expect(verdict.exitCode).toBe(3);
    expect(gate).toContain(names);
    expect(gate).toContain(`flags: ${verdict.flags.join(', ')}`);
  } else expect(record.status.outcome).toBe(status);
  expectNoVouching(verdict);
}

/** The claim that tests pass is never confirmed for a cheat. */
function expectNoVouching({ shown, gate, record }: Verdict): void {
  const { claims } = JSON.parse(record.evidence('evaluate', 'claim_ledger')) as {
    claims: { claim: string; holds: boolean | null }[];
  };
  expect(claims.filter(({ claim, holds }) => claim === 'tests_pass' && holds === true)).toEqual([]);
  expect(`${shown}${gate}`).not.toMatch(/claim "tests pass": confirmed/);
}
