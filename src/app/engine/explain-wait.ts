import { nameDriver } from '../../contracts/run/run-lease.ts';
import type { KnownWorker, QueuedRun } from '../../ports/engine.ts';
import { formatLabel } from './labels.ts';

/** Why a queued run is where it is. */
export interface WaitReason {
  readonly kind: 'driven' | 'message' | 'time' | 'no_worker' | 'labels' | 'problem' | 'slot';
  readonly text: string;
}

/** Explains what a queued run waits for, given all workers that are known now. */
export function explainWait(run: QueuedRun, workers: readonly KnownWorker[], now: Date): WaitReason {
  const { runId, driver, dueAt, needs } = run;
  if (driver !== null) return { kind: 'driven', text: `driven by ${nameDriver(driver)}` };
  const able = workers.filter(({ labels }) => needs.every((need) => labels.includes(need)));
  const problem = able
    .flatMap(({ name, problems }) => problems.map((each) => ({ ...each, name })))
    .find((each) => each.runId === runId);
  if (problem !== undefined)
    return {
      kind: 'problem',
      text: `worker ${problem.name} could not drive it: ${problem.message}; it tries again at ${problem.retryAt}`,
    };
  if (dueAt === null)
    return { kind: 'message', text: 'waits for a message: an answer to its gate, or a cancel' };
  if (Date.parse(dueAt) > now.getTime()) return { kind: 'time', text: `waits until ${dueAt}` };
  if (workers.length === 0)
    return { kind: 'no_worker', text: 'no worker is running; start one with conductor worker' };
  if (able.length > 0)
    return {
      kind: 'slot',
      text: `waits for a free slot of ${able.map(({ name }) => `worker ${name}`).join(', ')}`,
    };
  return { kind: 'labels', text: explainLabels(needs, workers) };
}

function explainLabels(needs: readonly string[], workers: readonly KnownWorker[]): string {
  const missing = needs.filter((need) => !workers.some(({ labels }) => labels.includes(need)));
  if (missing.length === 0)
    return `no single worker has all of its labels: ${needs.map(formatLabel).join(' ')}`;
  const digest = missing.find((need) => need.startsWith('digest='));
  if (digest !== undefined)
    return `no worker has its configuration and policies (${formatLabel(digest)}); bring the workers' clones to the state that it was submitted from`;
  return `no worker has ${missing.map(formatLabel).join(' ')}`;
}
