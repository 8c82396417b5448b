import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Plan, PlanStep } from '../../../../src/kernel/plan.ts';
import { proveWorkflow } from '../../../../src/workflow/proofs/prove-workflow.ts';
import { randomRun } from '../../kernel/random-runs.ts';
import { endOfRun, goOn, type Reply, start } from '../../kernel/scripted-run.ts';
import { expectAgreement, type Left, type Verdict } from './plan-paths.ts';

/** Reads the way backwards: a rollback takes the reader to where the files were at that time. */
function lacksPassedValidation(walked: readonly Left[]): Verdict {
  const at = walked.findLastIndex(
    ({ step, key }) => step.opcode === 'RUN_AGENT' || (key === 'completed' && settles(step)),
  );
  const found = walked[at]?.step;
  if (found === undefined || found.opcode === 'RUN_VALIDATION') return 'no';
  if (found.opcode === 'RUN_AGENT') return verdictOn(walked.slice(at + 1));
  if (found.opcode === 'ROLLBACK' && found.target === 'pre_run') return 'no';
  const agent = walked.slice(0, at).findLastIndex(({ step }) => step.opcode === 'RUN_AGENT');
  if (agent === -1) return 'no';
  // What the agent and all after it did is undone, but for what came after the rollback.
  return lacksPassedValidation([...walked.slice(0, agent), ...walked.slice(at + 1)]);
}

function settles(step: PlanStep): boolean {
  return step.opcode === 'RUN_VALIDATION' || step.opcode === 'ROLLBACK';
}

/** Nothing passed since the agent: `evaluated` if an EVALUATE comes after the last validation that failed. */
function verdictOn(rest: readonly Left[]): Verdict {
  const failed = rest.findLastIndex(({ step }) => step.opcode === 'RUN_VALIDATION');
  const evaluated = rest.findLastIndex(({ step }) => step.opcode === 'EVALUATE');
  return failed !== -1 && evaluated > failed ? 'evaluated' : 'broken';
}

describe('the proof that successes are validated', () => {
  it('finds a path as long as the shortest one of an exhaustive search', () => {
    const seen = { broken: 0, evaluated: 0, holds: 0 };
    fc.assert(
      fc.property(randomRun(), ({ plan }) => {
        const { validated } = proveWorkflow(plan);
        expectAgreement(plan, validated, lacksPassedValidation);
        if (validated.broken !== null) seen.broken += 1;
        if (validated.evaluated !== null) seen.evaluated += 1;
        if (validated.holds) seen.holds += 1;
      }),
      { numRuns: 600 },
    );
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(0);
  });

  it('is kept by the kernel: where it is proved without an evaluation, no run ends unverified', () => {
    let proved = 0;
    fc.assert(
      fc.property(randomRun(), (run) => {
        const { holds, evaluated } = proveWorkflow(run.plan).validated;
        if (!holds || evaluated !== null) return;
        proved += 1;
        const played = goOn(start(run.plan), ({ stepId, visit }) =>
          quiet(run.plan, stepId, run.replies[stepId]?.[visit - 1]),
        );
        expect(endOfRun(played).outcome).not.toBe('unverified');
      }),
      { numRuns: 500 },
    );
    expect(proved).toBeGreaterThan(50);
  });
});

/** Agents are what the proof is about: nothing else changes files here, and no answer is late. */
function quiet(plan: Plan, stepId: string, reply: Reply | undefined): Reply {
  if (reply === undefined) throw new Error(`no reply for ${stepId}`);
  if (reply.kind === 'answered' && reply.answer === 'gate_timed_out')
    return { kind: 'answered', answer: 'gate_rejected' };
  if (reply.kind !== 'ended' || plan.stepsById[stepId]?.opcode === 'RUN_AGENT') return reply;
  return { ...reply, changed: false };
}
