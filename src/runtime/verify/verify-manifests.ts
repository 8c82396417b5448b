import {
  type ArtifactRecord,
  type Manifest,
  manifestSchema,
  stepFolderOf,
} from '../../contracts/run/run-files.ts';
import { parseJson } from '../../text/json.ts';
import { toJson } from '../json.ts';
import { closedRunFolders } from './closed-run-folders.ts';
import {
  type ArtifactEvent,
  type ClosedFolder,
  problemIn,
  recordedIn,
  type VerifyContext,
  type VerifyProblem,
} from './verify-context.ts';

/**
 * Checks that every ended attempt at a step has a manifest that agrees with the events; likewise setup and baseline, if
 * they left evidence.
 */
export async function verifyManifests(
  context: VerifyContext,
): Promise<{ readonly checked: number; readonly problems: readonly VerifyProblem[] }> {
  const problems: VerifyProblem[] = [];
  const closed = [...closedRunFolders(context), ...closedStepFolders(context)];
  for (const entry of closed) {
    const path = `${entry.folder}/manifest.json`;
    const text = context.files.has(path) ? await context.directory.read(path) : null;
    const message = text === null ? 'is missing, or is no file' : manifestProblem(context, entry, text);
    if (message !== null) problems.push(problemIn(path, message));
  }
  return { checked: closed.length, problems };
}

function closedStepFolders(context: VerifyContext): ClosedFolder[] {
  const abandoned = abandonedFolders(context);
  const unclosed = unclosedFolder(context);
  return context.view.steps.flatMap(({ stepId, opcode, attempt, termination, startedAt, endedAt }) => {
    const folder = stepFolderOf(stepId, attempt);
    if (opcode === 'STOP' || termination === null || abandoned.has(folder) || folder === unclosed) return [];
    return [{ folder, recorded: { step_id: stepId, opcode, attempt, termination }, startedAt, endedAt }];
  });
}

/** A gate that was answered but not closed: its goldens may not yet be in the files and in its manifest. */
function unclosedFolder({ view }: VerifyContext): string | null {
  const { stage } = view.state;
  return stage.kind === 'answered' ? stepFolderOf(stage.stepId, stage.attempt) : null;
}

/** Steps that were interrupted too often: they fail on resume, when the last attempt is already dead. */
function abandonedFolders({ events }: VerifyContext): ReadonlySet<string> {
  const folders = new Set<string>();
  for (const [index, event] of events.entries()) {
    if (event.event_type !== 'step_failed' || event.step_id === null) continue;
    const before = events[index - 1];
    if (before?.event_type === 'run_resumed' && before.step_id === event.step_id)
      folders.add(stepFolderOf(event.step_id, event.payload.attempt));
  }
  return folders;
}

function manifestProblem(context: VerifyContext, closed: ClosedFolder, text: string): string | null {
  const value = parseJson(text);
  const parsed = manifestSchema.safeParse(value);
  if (!parsed.success) return 'does not fit the schema of a manifest';
  if (toJson(value) !== text) return 'is not in the form in which manifests are written';
  const manifest = parsed.data;
  for (const [key, expected] of Object.entries(closed.recorded)) {
    const actual = manifest[key as keyof ClosedFolder['recorded']];
    if (actual !== expected) return `says ${key} ${String(actual)} where the events say ${String(expected)}`;
  }
  return listProblem(manifest, recordedIn(context, closed.folder)) ?? timeProblem(context, closed, manifest);
}

function listProblem(manifest: Manifest, recorded: readonly ArtifactEvent[]): string | null {
  const events = new Set(recorded.map(({ payload }) => keyOf(payload)));
  const listed = new Set(manifest.artifacts.map(keyOf));
  const extra = manifest.artifacts.find((artifact) => !events.has(keyOf(artifact)));
  if (extra !== undefined) return `lists ${extra.role} ${extra.path} as no event records it`;
  const missing = recorded.find(({ payload }) => !listed.has(keyOf(payload)));
  return missing === undefined ? null : `does not list ${missing.payload.role} ${missing.payload.path}`;
}

function keyOf({ role, path, sha256, bytes }: Pick<ArtifactRecord, 'role' | 'path' | 'sha256' | 'bytes'>) {
  return JSON.stringify([role, path, sha256, bytes]);
}

/** The manifest's times must lie between its events. If the clock went back during the run, times prove nothing. */
function timeProblem({ events }: VerifyContext, closed: ClosedFolder, manifest: Manifest): string | null {
  const times = events.map(({ timestamp }) => Date.parse(timestamp));
  if (times.some((time, index) => index > 0 && time < (times[index - 1] ?? time))) return null;
  const inOrder = [closed.startedAt, manifest.started_at, manifest.ended_at, closed.endedAt].map((time) =>
    Date.parse(time ?? ''),
  );
  const ordered = inOrder.every((time, index) => index === 0 || time >= (inOrder[index - 1] ?? Number.NaN));
  return ordered ? null : 'has times that are not between the events before and after it';
}
