import { priced } from '../../agents/prices.ts';
import type { EventDraft, RunEvent } from '../../contracts/run/event.ts';
import { stepFolderOf } from '../../contracts/run/run-files.ts';
import type { RunDirectory } from '../../ports/run-store.ts';
import type { RunDeps } from '../run-context.ts';

/**
 * The usage of an agent that was cut off when the conductor process died, as an event. It counts like any other usage,
 * so resuming a run doesn't reset its budget.
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
  const reported = await agent?.usedIn?.(place);
  const usage = priced(reported ?? null, project.agentCare?.(name).price ?? null);
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

/** If the last of these events isn't `runner_started`, no agent was cut off. */
const START_OR_END: readonly RunEvent['event_type'][] = [
  'runner_started',
  'runner_completed',
  'step_started',
  'step_completed',
  'step_failed',
  'step_waiting',
  'run_completed',
];
