// What is kept has to be read again: one long run, and many short ones.
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemIds } from '../../dist/src/adapters/system/clock.js';
import { decide } from '../../dist/src/kernel/decide.js';
import { viewRun } from '../../dist/src/runtime/record/run-view.js';
import { median } from '../measure.mjs';
import { driveNoOp, noOpPlan, openStore } from './conductor.mjs';

const EVENTS = 10_000;
const RUNS = 10_000;

/** Milliseconds from the folder of a run that was cut off to the decision what it does next. */
export async function measureRecovery(folder, rounds) {
  const plan = noOpPlan(2, 1_000_000);
  const store = openStore(folder);
  const { runId } = await driveNoOp(store, plan, EVENTS);
  const times = [];
  let events = 0;
  for (let round = 0; round < rounds; round += 1) {
    const start = performance.now();
    const driven = await store.drive(runId);
    if (!driven.ok) throw new Error('the long run can not be driven');
    const { effect } = decide(plan, viewRun(driven.run.events).state, { kind: 'resume', reason: 'bench' });
    times.push(performance.now() - start);
    if (effect?.kind !== 'run_agent') throw new Error('the long run does not go on');
    events = driven.run.events.length;
    await driven.run.release();
  }
  // The first round is what a user has: nothing is warm yet.
  return { events, ms: times[0], warm: median(times) };
}

/** Milliseconds to list many runs that have ended. */
export async function measureListing(folder, rounds) {
  const runsDir = join(folder, '.tnh/run');
  for (let index = 0; index < RUNS; index += 1) {
    const runId = systemIds.newRunId();
    mkdirSync(join(runsDir, runId), { recursive: true });
    writeFileSync(join(runsDir, runId, 'status.json'), JSON.stringify(statusOf(runId)));
  }
  const store = openStore(folder);
  const start = performance.now();
  await store.list();
  const first = performance.now() - start;
  const times = [];
  for (let round = 0; round < rounds; round += 1) {
    const begin = performance.now();
    const { length } = await store.list();
    times.push(performance.now() - begin);
    if (length !== RUNS) throw new Error(`${length} runs are listed of ${RUNS}`);
  }
  return { runs: RUNS, ms: median(times), first };
}

/** Kilobytes that a run at a gate takes in a process that waits for its answer. */
export function measureWaiting(folder) {
  const program = join(import.meta.dirname, 'waiting.mjs');
  const child = spawnSync(process.execPath, ['--expose-gc', program, folder], { encoding: 'utf8' });
  if (child.status !== 0) throw new Error(`runs that wait can't be measured: ${child.stderr.trim()}`);
  return Number(child.stdout);
}

function statusOf(runId) {
  return {
    run_id: runId,
    workflow_id: 'no-op',
    started_at: '2026-01-02T03:04:05.678Z',
    updated_at: '2026-01-02T03:04:05.678Z',
    lifecycle_state: 'completed',
    outcome: 'success',
    current_step_id: null,
    last_completed_step_id: 's9',
    active_opcode: null,
    active_runner_family: null,
    active_attempt: null,
    worktree_path: '.tnh/worktrees/none',
    last_route_target: 'STOP',
    last_decision: null,
    refinement: null,
    awaiting: null,
    termination: 'completed',
    blocking_reason: null,
    elapsed_seconds: 1,
  };
}
