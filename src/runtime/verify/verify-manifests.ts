import {
  type ArtifactRecord,
  type Manifest,
  manifestSchema,
  stepFolderOf,
} from '../../contracts/run-files.ts';
import { parseJson, toJson } from '../json.ts';
import type { StepView } from '../run-view.ts';
import { type ArtifactEvent, type Flaw, flaw, recordedIn, type VerifyContext } from './verify-context.ts';

/** Every entry of a step that came to an end has a manifest, and it says what the events say. */
export async function verifyManifests(
  context: VerifyContext,
): Promise<{ readonly checked: number; readonly flaws: readonly Flaw[] }> {
  const flaws: Flaw[] = [];
  let checked = 0;
  const givenUp = givenUpEntries(context);
  const unclosed = unclosedEntry(context);
  for (const step of context.view.steps) {
    const folder = stepFolderOf(step.stepId, step.attempt);
    if (step.opcode === 'STOP' || step.termination === null || givenUp.has(folder)) continue;
    if (folder === unclosed) continue;
    checked += 1;
    const path = `${folder}/manifest.json`;
    const text = context.files.has(path) ? await context.directory.read(path) : null;
    const message =
      text === null ? 'is missing, or is no file' : manifestProblem(context, step, folder, text);
    if (message !== null) flaws.push(flaw(path, message));
  }
  return { checked, flaws };
}

/** A gate whose answer is recorded and whose goldens may be on their way into the files, and into its manifest. */
function unclosedEntry({ view }: VerifyContext): string | null {
  const { stage } = view.state;
  return stage.kind === 'answered' ? stepFolderOf(stage.stepId, stage.attempt) : null;
}

/** Steps that were interrupted too often end when the run is taken up, after the last attempt is gone. */
function givenUpEntries({ events }: VerifyContext): ReadonlySet<string> {
  const folders = new Set<string>();
  for (const [index, event] of events.entries()) {
    if (event.event_type !== 'step_failed' || event.step_id === null) continue;
    const before = events[index - 1];
    if (before?.event_type === 'run_resumed' && before.step_id === event.step_id)
      folders.add(stepFolderOf(event.step_id, event.payload.attempt));
  }
  return folders;
}

function manifestProblem(
  context: VerifyContext,
  step: StepView,
  folder: string,
  text: string,
): string | null {
  const value = parseJson(text);
  const parsed = manifestSchema.safeParse(value);
  if (!parsed.success) return 'does not fit the schema of a manifest';
  if (toJson(value) !== text) return 'is not in the form in which manifests are written';
  const manifest = parsed.data;
  const said = {
    step_id: step.stepId,
    opcode: step.opcode,
    attempt: step.attempt,
    termination: step.termination,
  };
  for (const [key, expected] of Object.entries(said)) {
    const actual = manifest[key as keyof typeof said];
    if (actual !== expected) return `says ${key} ${String(actual)} where the events say ${String(expected)}`;
  }
  return listProblem(manifest, recordedIn(context, folder)) ?? timeProblem(context, step, manifest);
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

/** An entry is inside its events. Where the clock went back during the run, times prove nothing. */
function timeProblem({ events }: VerifyContext, step: StepView, manifest: Manifest): string | null {
  const times = events.map(({ timestamp }) => Date.parse(timestamp));
  if (times.some((time, index) => index > 0 && time < (times[index - 1] ?? time))) return null;
  const inOrder = [step.startedAt, manifest.started_at, manifest.ended_at, step.endedAt].map((time) =>
    Date.parse(time ?? ''),
  );
  const ordered = inOrder.every((time, index) => index === 0 || time >= (inOrder[index - 1] ?? Number.NaN));
  return ordered ? null : 'has times that are not between the beginning and the end of its step';
}
