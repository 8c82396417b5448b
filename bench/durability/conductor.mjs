// Ten steps that do nothing, through the kernel and the log: what is recorded is what the runtime records for
// a step, and like there everything is on disk before the step's runner would start.
import { join } from 'node:path';
import { createEmbeddedEngine } from '../../dist/src/adapters/run-store/embedded-engine.js';
import { systemClock, systemIds } from '../../dist/src/adapters/system/clock.js';
import { decide } from '../../dist/src/kernel/decide.js';
import { evolve } from '../../dist/src/kernel/evolve.js';
import { INITIAL_STATE } from '../../dist/src/kernel/state.js';
import { checkWorkflow } from '../../dist/src/workflow/check-workflow.js';

const TREE = 'e'.repeat(40);
const COMMIT = 'c'.repeat(40);

/** Steps in a row, or, where they may be visited often, in a circle. */
export function noOpPlan(steps, maxVisits = 10) {
  const last = maxVisits > 10 ? 's0' : 'STOP';
  const step = (index) => [
    `  - id: s${index}`,
    '    opcode: RUN_AGENT',
    '    agent: none',
    '    prompt: do nothing',
    `    routes: { completed: ${index + 1 < steps ? `s${index + 1}` : last}, error: STOP }`,
  ];
  const text = [
    'workflow_id: no-op',
    'description: Ten steps that do nothing.',
    'version: 1',
    'entry_step: s0',
    'steps:',
    ...Array.from({ length: steps }, (_, index) => step(index).join('\n')),
    '',
  ].join('\n');
  const { plan, diagnostics } = checkWorkflow(
    { name: 'no-op.yaml', bytes: new TextEncoder().encode(text) },
    { defaults: { timeoutMs: 1000, idleTimeoutMs: 1000, maxVisits }, names: null, inputs: null },
  );
  if (plan === null) throw new Error(`the bench's workflow is not valid: ${JSON.stringify(diagnostics[0])}`);
  return plan;
}

export function openStore(folder) {
  return createEmbeddedEngine({ repoRoot: folder, runsDir: join(folder, '.tnh/run'), clock: systemClock });
}

/** Drives a run to its end, or until it has so many events. */
export async function driveNoOp(store, plan, enough = Number.POSITIVE_INFINITY) {
  const run = await beginNoOp(store);
  await moveNoOp(run, plan, enough);
  await run.release();
  return { runId: run.directory.runId };
}

/** Makes the folder of a run and takes its lock. */
export function beginNoOp(store) {
  return store.create(systemIds.newRunId(), null);
}

export async function moveNoOp(run, plan, enough = Number.POSITIVE_INFINITY) {
  let state = INITIAL_STATE;
  let count = 0;
  const record = async (drafts, flush = 'now') => {
    for (const event of await run.append(drafts, flush)) state = evolve(state, event);
    count += drafts.length;
  };
  let input = { kind: 'start', run: startOf(plan) };
  for (;;) {
    const { events, effect } = decide(plan, state, input);
    await record(events, effect?.kind === 'run_agent' ? 'later' : 'now');
    if (effect === null) break;
    if (effect.kind === 'finish') {
      input = { kind: 'finished', tree: TREE, headSha: COMMIT };
      continue;
    }
    await record([runnerStarted(effect)]);
    if (count >= enough) break;
    input = {
      kind: 'step_ended',
      outcome: 'completed',
      changed: false,
      tree: TREE,
      validators: [],
      usage: null,
      reason: null,
      violations: [],
    };
  }
}

function runnerStarted({ stepId, attempt }) {
  return {
    event_type: 'runner_started',
    step_id: stepId,
    payload: {
      family: 'none',
      name: 'none',
      attempt,
      mark: `${stepId}@${attempt}`,
      snapshot: { commit: COMMIT, tree: TREE },
    },
  };
}

function startOf(plan) {
  return {
    schema_version: 1,
    conductor_version: '0.0.0',
    workflow_id: plan.workflowId,
    workflow_version: 1,
    workflow_digest: '0'.repeat(64),
    entry_step: plan.entryStep,
    base_ref: 'HEAD',
    base_sha: COMMIT,
    base_tree: TREE,
    branch_name: 'conductor/run/no-op',
    worktree_path: 'worktree',
    defaults: { timeout_ms: 1000, idle_timeout_ms: 1000, max_visits: 10 },
    inputs: {},
  };
}
