import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { RunRecordOnDisk } from '../e2e/run-record.ts';
import type { Scene } from '../e2e/scene.ts';

/** What a kill must not change about the end of a run. */
export interface RunEnd {
  readonly finalState: string | null;
  readonly routes: readonly string[];
  /** The attempts that ended, by step, visit and termination. */
  readonly steps: readonly string[];
  /** Setup and baseline, without repetitions. */
  readonly preparation: readonly string[];
  readonly evaluations: readonly string[];
  readonly answers: number;
  readonly tree: string;
  readonly patch: string;
}

/** A run without a kill: its end, and its length by each measure that a kill can be placed on. */
export interface Baseline {
  readonly end: RunEnd;
  /** The time of each event, from the first one. */
  readonly eventMs: readonly number[];
  readonly operations: { readonly any: number; readonly log: number };
  readonly gitCalls: number;
}

export async function endOf(scene: Scene, run: RunRecordOnDisk): Promise<RunEnd> {
  const { branch_name } = run.metadata.workspace;
  const visits = new Map(
    run
      .eventsOf('step_started')
      .map(({ step_id, payload }) => [`${step_id}@${payload.attempt}`, payload.visit]),
  );
  return {
    finalState: run.finalState,
    routes: run
      .eventsOf('route_selected')
      .map(({ step_id, payload }) => `${step_id} ${payload.key} ${payload.to}`),
    steps: Object.values(run.manifests)
      .filter(({ step_id, attempt }) => step_id !== null && hasEnded(run, step_id, attempt))
      .map(
        ({ step_id, attempt, termination }) =>
          `${step_id} ${visits.get(`${step_id}@${attempt}`)} ${termination}`,
      )
      .sort(),
    preparation: preparationOf(run),
    evaluations: run.eventsOf('decision_recorded').map(({ payload }) => payload.status),
    answers: run.eventsOf('gate_approved').length,
    tree: (await scene.repo.git('rev-parse', `${branch_name}^{tree}`)).trim(),
    patch: readFileSync(join(run.path, 'diff.patch'), 'utf8'),
  };
}

function preparationOf({ eventsOf }: RunRecordOnDisk): readonly string[] {
  const setups = eventsOf('setup_completed').map(
    ({ payload }) => `setup ${payload.checkout} ${payload.outcome}`,
  );
  const baselines = eventsOf('baseline_recorded').map(({ payload }) => `baseline ${payload.outcome}`);
  return [...new Set([...setups, ...baselines])].sort();
}

/** The last attempt of a visit is the one that ended; a new visit begins with the next attempt. */
function hasEnded(run: RunRecordOnDisk, stepId: string | null, attempt: number): boolean {
  const next = run
    .eventsOf('step_started')
    .find(({ step_id, payload }) => step_id === stepId && payload.attempt === attempt + 1);
  return next === undefined || !next.payload.recovery;
}

export async function measure(
  scene: Scene,
  run: RunRecordOnDisk,
  counts: { readonly operations: string; readonly gitCalls: string },
): Promise<Baseline> {
  const times = run.events.map(({ timestamp }) => Date.parse(timestamp));
  const waited = gateWait(run);
  return {
    end: await endOf(scene, run),
    eventMs: times.map((time, index) => time - (times[0] ?? 0) - (index >= waited.index ? waited.ms : 0)),
    operations: { any: totalOf(counts.operations, 'any'), log: totalOf(counts.operations, 'log') },
    gitCalls: statSync(counts.gitCalls).size,
  };
}

/** No process drives the run while the gate waits, so that time can't be hit. */
function gateWait(run: RunRecordOnDisk): { readonly index: number; readonly ms: number } {
  const index = run.events.findIndex(({ event_type }) => event_type === 'gate_requested') + 1;
  const [before, after] = [run.events[index - 1], run.events[index]];
  if (before === undefined || after === undefined) return { index: run.events.length, ms: 0 };
  return { index, ms: Date.parse(after.timestamp) - Date.parse(before.timestamp) };
}

/** Each process appends how many operations it did on any file, and how many on the log. */
export function totalOf(path: string, files: 'any' | 'log'): number {
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
  return lines.reduce((sum, line) => sum + Number(line.split(' ')[files === 'any' ? 0 : 1]), 0);
}
