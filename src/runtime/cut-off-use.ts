import { priced } from '../agents/prices.ts';
import type { EventDraft, RunEvent } from '../contracts/event.ts';
import { stepFolderOf } from '../contracts/run-files.ts';
import type { RunDirectory } from '../ports/run-store.ts';
import type { RunDeps } from './run-context.ts';

/**
 * What an agent had used whose start was cut off with the conductor. It counts like any other: a run that is taken up again
 * has not got its budget back.
 */
export async function cutOffUse(
  { project }: RunDeps,
  directory: RunDirectory,
  events: readonly RunEvent[],
): Promise<EventDraft[]> {
  const started = events.findLast(({ event_type }) => START_OR_END.includes(event_type));
  if (started?.event_type !== 'runner_started' || started.step_id === null) return [];
  const { name, attempt, try: count = 1 } = started.payload;
  const folder = directory.resolve(stepFolderOf(started.step_id, attempt));
  const agent = project.agent(name);
  const place = count === 1 ? folder : `${folder}/try@${count}`;
  await agent?.keepSession?.(place);
  const told = await agent?.usedIn?.(place);
  const usage = priced(told ?? null, project.agentCare?.(name).price ?? null);
  if (usage === null) return [];
  const payload = {
    name,
    attempt,
    termination: 'cut_off',
    exit_code: null,
    duration_ms: 0,
    usage,
    ...(count === 1 ? {} : { try: count }),
  };
  return [{ event_type: 'runner_completed', step_id: started.step_id, payload }];
}

/** Behind any of these, nothing of a start is left to be told. */
const START_OR_END: readonly RunEvent['event_type'][] = [
  'runner_started',
  'runner_completed',
  'step_started',
  'step_completed',
  'step_failed',
  'step_waiting',
  'run_completed',
];
