import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { PlannerDecision } from '../../src/contracts/planner/planner-decision.ts';
import { type PlannerTrace, plannerTraceSchema } from '../../src/contracts/planner/planner-trace.ts';
import type { RunRecordOnDisk } from './run-record.ts';
import { CONFIG, type SceneOptions } from './scene.ts';

/** No real key: only something that must not turn up in any file. */
export const PLANNER_KEY = 'key-of-a-test-0123456789';

/** A run whose answer is right or wrong, with an evaluation; if the planner blocks, a gate can ask it again. */
export function evaluatedScene(planner: string, answer: '41' | '42' = '42', agents = ''): SceneOptions {
  return {
    config: `${CONFIG.replace('validators:', `${agents}validators:`)}planner: ${planner}\n`,
    files: { 'evaluated.yaml': evaluatedWorkflow(answer) },
  };
}

function evaluatedWorkflow(answer: string): string {
  const ends = 'error: STOP, killed_timeout: STOP, killed_idle: STOP, killed_policy: STOP';
  return `workflow_id: evaluated
version: 1
description: Work that a configured planner evaluates.
entry_step: implement
steps:
  - id: implement
    opcode: RUN_AGENT
    agent: actor
    prompt: |
      write answer.txt ${answer}
      say Thinking aloud.
      say Wrote the answer.
    routes: { completed: check, ${ends} }
  - id: check
    opcode: RUN_VALIDATION
    run: [tests]
    routes: { completed: judge, ${ends.replace('error: STOP', 'error: judge')} }
  - id: judge
    opcode: EVALUATE
    prompt: planner.evaluate_results.v1
    allowed_next_steps: [ask, STOP]
    routes: { success: STOP, partial: STOP, blocked: ask, unsafe: STOP, needs_human: STOP }
  - id: ask
    opcode: GATE
    gate: requires_approval
    routes: { gate_approved: judge, gate_rejected: STOP }
`;
}

export function proposal(
  status: PlannerDecision['status'],
  fields: Partial<PlannerDecision> = {},
): PlannerDecision {
  return { status, next_step: null, fix_instructions: null, blockers: [], risk_flags: [], ...fields };
}

export interface RecordedEvaluation {
  readonly decision: PlannerDecision;
  readonly trace: PlannerTrace;
}

export function readEvaluation({ evidence }: RunRecordOnDisk, folder = 'judge'): RecordedEvaluation {
  return {
    decision: JSON.parse(evidence(folder, 'planner_decision')) as PlannerDecision,
    trace: plannerTraceSchema.parse(JSON.parse(evidence(folder, 'planner_trace'))),
  };
}

/** Looks into every file of the record. */
export function expectNoKey({ path }: RunRecordOnDisk): void {
  const files = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  expect(files.length).toBeGreaterThan(5);
  const telling = files
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => readFileSync(file, 'utf8').includes(PLANNER_KEY));
  expect(telling).toEqual([]);
}
