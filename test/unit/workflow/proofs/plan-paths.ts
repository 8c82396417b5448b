import { expect } from 'vitest';
import type { RouteKey } from '../../../../src/contracts/vocabulary.ts';
import type { Plan, PlanStep } from '../../../../src/kernel/plan.ts';
import type { PathProof, ProofPath } from '../../../../src/workflow/proofs/path-proof.ts';

/** Ways no longer than this are all walked. */
const DEPTH = 5;

export interface Left {
  readonly step: PlanStep;
  readonly key: RouteKey;
}

/** What a way to a successful end says about a property. */
export type Verdict = 'no' | 'evaluated' | 'broken';

/** Every way from the entry to an end, one by one: what the proofs must never do, and must agree with. */
function* allWays(plan: Plan): Generator<readonly Left[]> {
  const stack: { readonly at: string; readonly walked: readonly Left[] }[] = [
    { at: plan.entryStep, walked: [] },
  ];
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    const { at, walked } = top;
    const step = plan.stepsById[at];
    if (step === undefined || step.opcode === 'STOP') {
      if (walked.length > 0) yield walked;
      continue;
    }
    if (walked.length === DEPTH) continue;
    for (const [key, target] of routesOf(step))
      stack.push({ at: target, walked: [...walked, { step, key: key as RouteKey }] });
  }
}

export function routesOf(step: PlanStep): [string, string][] {
  if (step.opcode === 'STOP') return [];
  return Object.entries(step.routes).filter(
    (route): route is [string, string] =>
      route[1] !== null &&
      !(route[0] === 'gate_timed_out' && step.opcode === 'GATE' && step.timeoutMs === null),
  );
}

/** The key that counts is the last one that is not of a rollback that came off. */
function isSuccess(walked: readonly Left[]): boolean {
  const last = walked.findLast(({ step, key }) => !(step.opcode === 'ROLLBACK' && key === 'completed'));
  return last === undefined || ['completed', 'success', 'gate_approved'].includes(last.key);
}

/**
 * The proof finds a way of a kind exactly where walking all ways finds one, and one that is as short as any; the way
 * that it shows can be walked, ends well, and is of that kind.
 */
export function expectAgreement(
  plan: Plan,
  proof: PathProof,
  verdictOn: (walked: readonly Left[]) => Verdict,
): void {
  const successes = [...allWays(plan)].filter(isSuccess);
  expect(proof.holds).toBe(proof.broken === null);
  for (const kind of ['broken', 'evaluated'] as const) {
    const shown = proof[kind];
    const lengths = successes.filter((walked) => verdictOn(walked) === kind).map((walked) => walked.length);
    const short = shown !== null && shown.path.length <= DEPTH ? shown.path.length : null;
    expect(short, kind).toBe(lengths.length === 0 ? null : Math.min(...lengths));
    if (shown === null) continue;
    const walked = walk(plan, shown);
    expect(isSuccess(walked), kind).toBe(true);
    expect(verdictOn(walked)).toBe(kind);
  }
}

/** Follows a way that a proof shows, route by route, to where it says it ends. */
function walk(plan: Plan, { path, end }: ProofPath): readonly Left[] {
  let at = plan.entryStep;
  const walked = path.map(({ stepId, key }): Left => {
    expect(stepId).toBe(at);
    const step = plan.stepsById[stepId];
    const route = step === undefined ? undefined : routesOf(step).find(([name]) => name === key);
    if (step === undefined || route === undefined) throw new Error(`${stepId} is not left by ${key}`);
    at = route[1];
    return { step, key };
  });
  expect(end).toBe(at);
  expect(plan.stepsById[at]?.opcode ?? 'STOP').toBe('STOP');
  return walked;
}
