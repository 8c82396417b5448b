import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Plan, PlanStep, PlanValidator } from '../../../../src/kernel/plan.ts';
import { proveWorkflow } from '../../../../src/workflow/proofs/prove-workflow.ts';
import { planOf } from '../../../../testing/plans.ts';
import { type RandomRun, randomRun } from '../../kernel/random-runs.ts';
import { endOfRun, goOn, type Reply, start } from '../../kernel/scripted-run.ts';
import { expectAgreement, type Left, type Verdict } from './plan-paths.ts';

const named = { kind: 'named', id: 'tests', name: 'tests' } as const;
const quiet = { artifacts: [], timeoutMs: null, report: null, mayProposeGoldens: null, retries: 0 } as const;
const script = { kind: 'script', id: 'harness', entrypoint: './h', args: [], cwd: null } as const;

/** Every way to say, or not to say, that a validator can propose; whether it can is said beside it. */
const SAYINGS: readonly (readonly [PlanValidator, boolean])[] = [
  [{ ...named, ...quiet }, false],
  [{ ...named, ...quiet, mayProposeGoldens: true }, true],
  [{ ...named, ...quiet, artifacts: ['harness_report.json'] }, false],
  [{ ...script, ...quiet }, false],
  [{ ...script, ...quiet, artifacts: ['*.json'] }, false],
  [{ ...script, ...quiet, artifacts: ['logs/**', 'out/harness_report.json'] }, true],
  [{ ...script, ...quiet, artifacts: ['harness_report.json'], mayProposeGoldens: false }, false],
];

interface Proposing {
  readonly run: RandomRun;
  readonly plan: Plan;
  readonly proposing: ReadonlySet<string>;
}

/** A drawn plan whose validations can propose or not, as drawn. */
const proposingRun: fc.Arbitrary<Proposing> = fc
  .tuple(randomRun(), fc.array(fc.nat({ max: SAYINGS.length - 1 }), { minLength: 8, maxLength: 8 }))
  .map(([run, drawn]) => {
    const proposing = new Set<string>();
    const steps = run.plan.steps.map((step, index): PlanStep => {
      if (step.opcode !== 'RUN_VALIDATION') return step;
      const [validator, proposes] = SAYINGS[drawn[index] ?? 0] ?? [{ ...named, ...quiet }, false];
      if (proposes) proposing.add(step.id);
      return { ...step, validators: [validator] };
    });
    const [first, ...rest] = steps;
    if (first === undefined) throw new Error('a plan needs a step');
    return { run, plan: planOf([first, ...rest]), proposing };
  });

/** Reads the way backwards from its end to the last proposal: an approved gate in between clears it. */
function lacksApproval(walked: readonly Left[], proposing: ReadonlySet<string>): Verdict {
  const proposal = walked.findLastIndex(({ step }) => proposing.has(step.id));
  if (proposal === -1) return 'no';
  const rest = walked.slice(proposal + 1);
  if (rest.some(({ step, key }) => step.opcode === 'GATE' && key === 'gate_approved')) return 'no';
  const sawNone = ({ step, key }: Left) =>
    step.opcode === 'EVALUATE' && ['success', 'partial', 'blocked'].includes(key);
  return rest.some(sawNone) ? 'evaluated' : 'broken';
}

describe('the proof that goldens are approved', () => {
  it('finds a path as long as the shortest one of an exhaustive search', () => {
    const seen = { broken: 0, evaluated: 0, holds: 0, nothing: 0 };
    fc.assert(
      fc.property(proposingRun, ({ plan, proposing }) => {
        const { goldens } = proveWorkflow(plan);
        expectAgreement(plan, goldens, (walked) => lacksApproval(walked, proposing));
        expect(goldens.proposing.filter((id) => !proposing.has(id))).toEqual([]);
        if (goldens.broken !== null) seen.broken += 1;
        if (goldens.evaluated !== null) seen.evaluated += 1;
        if (goldens.holds && goldens.proposing.length > 0) seen.holds += 1;
        if (goldens.proposing.length === 0) seen.nothing += 1;
      }),
      { numRuns: 800 },
    );
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(5);
  });

  it('is kept by the kernel: where it is proved without an evaluation, no run is stopped for pending goldens', () => {
    const seen = { proved: 0, pending: 0 };
    fc.assert(
      fc.property(proposingRun, ({ run, plan, proposing }) => {
        const { holds, evaluated } = proveWorkflow(plan).goldens;
        const played = goOn(start(plan), ({ stepId, visit }) =>
          proposeOnly(proposing.has(stepId), plan.stepsById[stepId], run.replies[stepId]?.[visit - 1]),
        );
        const stopped = /golden/.test(endOfRun(played).reason ?? '');
        if (stopped) seen.pending += 1;
        if (!holds || evaluated !== null) return;
        seen.proved += 1;
        expect(stopped).toBe(false);
      }),
      { numRuns: 800 },
    );
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(5);
  });
});

/** Only steps that may propose do, and no answer is late. */
function proposeOnly(proposes: boolean, step: PlanStep | undefined, reply: Reply | undefined): Reply {
  if (reply === undefined || step === undefined) throw new Error('no reply');
  if (reply.kind === 'answered' && reply.answer === 'gate_timed_out')
    return { kind: 'answered', answer: 'gate_rejected' };
  if (reply.kind !== 'ended' || step.opcode !== 'RUN_VALIDATION' || proposes) return reply;
  return { ...reply, proposals: {} };
}
