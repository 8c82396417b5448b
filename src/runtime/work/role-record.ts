import * as z from 'zod';
import type { RunEvent } from '../../contracts/run/event.ts';
import { stepFolderOf } from '../../contracts/run/run-files.ts';
import { feedbackText } from '../../contracts/run/typed-feedback.ts';
import { stackedOnSchema } from '../../contracts/work/work-item.ts';
import type { Role } from '../../contracts/work/work-results.ts';
import type { RunEnd } from '../../kernel/state.ts';
import { findRoleResult } from '../../planner/claims/role-claims.ts';
import type { RunRecord } from '../../ports/run-store.ts';
import type { RevisionReader } from '../../ports/work/revisions.ts';
import { parseJson } from '../../text/json.ts';
import type { FailedValidator, RoleEvidence } from '../../work/results/role-result.ts';
import type { RunView, StepView } from '../record/run-view.ts';

const METADATA = 'runner_metadata';

/** The evidence of an ended run, from its record and its commits alone. */
export async function readRoleEvidence(
  record: RunRecord,
  view: RunView & { readonly end: RunEnd },
  role: Role,
  reader: Pick<RevisionReader, 'patch'>,
): Promise<RoleEvidence> {
  const { events } = record;
  return {
    ...(await readClaimedResult(record, view, role)),
    end: { ...view.end, reason: view.end.reason ?? findFailureReason(view) },
    changed: events.some(
      (event) => event.event_type === 'step_completed' && event.payload.changed && isAgentStep(view, event),
    ),
    failedValidators: listFailedValidators(events, view),
    violations: view.violations.map(({ message }) => message),
    rejection: findRejection(events),
    patch: role === 'implementor' ? await readPatch(view, reader) : null,
  };
}

const metadataSchema = z.looseObject({
  intent: z.string(),
  result: z.unknown().optional(),
  notes: z.array(z.string()),
});

type ClaimedResult = Pick<RoleEvidence, 'claimed' | 'notes'>;

/** Reads the last agent in the role; in an implementor's run, there may be reviewers, too. */
async function readClaimedResult(record: RunRecord, view: RunView, role: Role): Promise<ClaimedResult> {
  for (const step of view.steps.toReversed()) {
    if (step.opcode !== 'RUN_AGENT' || step.termination === null) continue;
    const text = await readRecordedMetadata(record, step);
    if (text === null)
      return { claimed: null, notes: [`the output of step ${step.stepId} differs from its record`] };
    const parsed = metadataSchema.safeParse(parseJson(text));
    if (role === 'implementor' && parsed.data?.intent !== 'implementation') continue;
    return { claimed: findRoleResult(parsed.data?.result), notes: parsed.data?.notes ?? [] };
  }
  return { claimed: null, notes: [] };
}

/** Later steps can modify earlier folders, so the digest in the log is checked. An unstarted agent has no metadata. */
async function readRecordedMetadata(
  { directory, events }: RunRecord,
  step: StepView,
): Promise<string | null> {
  const folder = `${stepFolderOf(step.stepId, step.attempt)}/`;
  const recorded = artifactsIn(events).find(({ role, path }) => role === METADATA && path.startsWith(folder));
  if (recorded === undefined) return '{"intent":"none","notes":[]}';
  const found = await directory.digest(directory.resolve(recorded.path)).catch(() => null);
  return found?.sha256 === recorded.sha256 ? directory.read(recorded.path) : null;
}

function artifactsIn(events: readonly RunEvent[]) {
  return events.flatMap((event) => (event.event_type === 'artifact_recorded' ? [event.payload] : []));
}

function isAgentStep({ steps }: RunView, { step_id }: RunEvent): boolean {
  return steps.some(({ stepId, opcode }) => stepId === step_id && opcode === 'RUN_AGENT');
}

/** The failed validators of the last ended validation. */
function listFailedValidators(events: readonly RunEvent[], { steps }: RunView): FailedValidator[] {
  const last = steps.findLast(
    ({ opcode, termination }) => opcode === 'RUN_VALIDATION' && termination !== null,
  );
  const ended = events.findLast(
    (event) =>
      (event.event_type === 'step_completed' || event.event_type === 'step_failed') &&
      event.step_id === last?.stepId,
  );
  if (last === undefined || (ended?.event_type !== 'step_completed' && ended?.event_type !== 'step_failed'))
    return [];
  const folder = stepFolderOf(last.stepId, last.attempt);
  const report = artifactsIn(events).findLast(
    ({ role, path }) => role === 'validation_report' && path.startsWith(`${folder}/`),
  );
  return ended.payload.validators
    .filter(({ outcome, exit_code }) => outcome !== 'completed' || (exit_code ?? 0) !== 0)
    .map(({ id, outcome, exit_code }) => ({ id, outcome, exitCode: exit_code, see: report?.path ?? folder }));
}

/** Why the last step failed, if the end itself has no reason. */
function findFailureReason({ end, steps }: RunView): string | null {
  return end?.outcome === 'error' ? (steps.findLast(({ reason }) => reason !== null)?.reason ?? null) : null;
}

function findRejection(events: readonly RunEvent[]): string | null {
  const last = events.findLast(({ event_type }) => event_type === 'gate_rejected');
  if (last?.event_type !== 'gate_rejected') return null;
  const { by } = last.payload;
  const said = feedbackText(last.payload);
  return `rejected by ${by ?? 'an unknown user'}${said === null ? '' : `: ${said}`}`;
}

async function readPatch(
  { started, headSha }: RunView,
  reader: Pick<RevisionReader, 'patch'>,
): Promise<RoleEvidence['patch']> {
  const base = started.inputs.item_base;
  if (base === undefined || headSha === null) return null;
  const stack = z.array(stackedOnSchema).safeParse(parseJson(started.inputs.stacked_on ?? ''));
  const stackedOn = stack.success ? { stackedOn: stack.data } : {};
  return { base, text: await reader.patch(base, headSha), ...stackedOn };
}
