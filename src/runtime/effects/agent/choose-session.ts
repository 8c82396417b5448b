import * as z from 'zod';
import type { RunEvent } from '../../../contracts/run/event.ts';
import type { AgentStep } from '../../../kernel/plan.ts';
import type { ActiveStep } from '../../../kernel/state.ts';
import type { Agent, SessionRequest } from '../../../ports/agent.ts';
import { readEvidenceJson } from '../../evidence/evidence.ts';
import type { StepView } from '../../record/run-view.ts';
import type { RunContext } from '../../run-context.ts';

/** The session that a visit continues. */
export interface EarlierSession {
  readonly id: string;
  /** Relative to the run directory. */
  readonly folder: string;
  /** The attempt that left it. */
  readonly entry: StepView;
}

export interface SessionChoice {
  readonly earlier: EarlierSession | null;
  /** Why the visit can't continue a session although it should; null otherwise. */
  readonly note: string | null;
}

const FRESH: SessionChoice = { earlier: null, note: null };

const sessionSchema = z.looseObject({
  agent: z.string(),
  session_id: z.string().nullish(),
  session_folder: z.string().nullish(),
});

/**
 * A later visit continues the session of the previous one. A recovery attempt doesn't, nor does a visit after a
 * ROLLBACK: the session would remember work that isn't in the files. An attempt after parking does: both its session
 * and its files are as the previous visit left them.
 */
export async function chooseSession(
  context: RunContext,
  step: AgentStep,
  entry: ActiveStep,
  agent: Agent,
): Promise<SessionChoice> {
  const { steps } = context.view();
  if (agent.canResume !== true || step.session === 'fresh' || wasInterrupted(steps, entry)) return FRESH;
  const last = steps.findLast(
    ({ stepId, visit, termination }) => stepId === step.id && visit < entry.visit && termination !== null,
  );
  if (last === undefined || isRolledBackSince(context.events(), last)) return FRESH;
  const left = sessionSchema.safeParse(
    await readEvidenceJson(context.directory, last, 'runner_metadata'),
  ).data;
  if (left !== undefined && left.agent !== step.agent) return FRESH;
  if (left?.session_id == null || left.session_folder == null)
    return { earlier: null, note: `visit ${last.visit} of step "${step.id}" left no session to continue` };
  return { earlier: { id: left.session_id, folder: left.session_folder, entry: last }, note: null };
}

/** Where the session files of a start are stored, relative to the run directory. */
export function sessionFolderOf(
  { stepId, attempt }: Pick<ActiveStep, 'stepId' | 'attempt'>,
  count: number,
): string {
  return `sessions/${stepId}@${attempt}${count === 1 ? '' : `.try${count}`}`;
}

export function sessionRequest(
  { directory }: Pick<RunContext, 'directory'>,
  folder: string,
  earlier: EarlierSession | null,
  prompt: string,
): SessionRequest {
  const resume =
    earlier === null ? null : { id: earlier.id, from: directory.resolve(earlier.folder), prompt };
  return { folder: directory.resolve(folder), resume };
}

/** Whether an earlier attempt at the same visit was interrupted. */
function wasInterrupted(steps: readonly StepView[], { stepId, visit, attempt }: ActiveStep): boolean {
  return steps.some(
    (other) =>
      other.stepId === stepId &&
      other.visit === visit &&
      other.attempt < attempt &&
      other.termination === null &&
      !other.parked,
  );
}

function isRolledBackSince(events: readonly RunEvent[], { stepId, attempt }: StepView): boolean {
  const start = events.findLastIndex(
    (event) =>
      event.event_type === 'step_started' && event.step_id === stepId && event.payload.attempt === attempt,
  );
  return events.slice(start).some(({ event_type }) => event_type === 'rollback_completed');
}
