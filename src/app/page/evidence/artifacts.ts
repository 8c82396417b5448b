import type { ArtifactLine, ArtifactsDocument } from '../../../contracts/http/evidence-page.ts';
import type { RunEvent } from '../../../contracts/run/event.ts';
import { type ArtifactRecord, manifestSchema, stepFolderOf } from '../../../contracts/run/run-files.ts';
import type { OpenFile } from '../../../ports/record-files.ts';
import type { RunDirectory } from '../../../ports/run-store.ts';
import { parseJson } from '../../../text/json.ts';
import { showPath } from '../../../text/paths.ts';
import { attemptName, type OpenRun } from '../../runs/open-run.ts';
import type { EvidenceTools } from './evidence-tools.ts';
import { isPictureName } from './picture-type.ts';

/** Files about the whole run, in the order in which a reader wants them. */
const RUN_FILES = [
  'transcript.md',
  'diff.patch',
  'events.ndjson',
  'workflow.yaml',
  'metadata.json',
  'status.json',
  'final-state.txt',
  'harness_report.json',
];

/** All files of a run that the page may give out: those that its manifests list, and those about the whole run. */
export async function listArtifacts(run: OpenRun, { files }: EvidenceTools): Promise<ArtifactsDocument> {
  const { view, record } = run;
  const { directory } = record;
  const folders = [
    ...listRunFolders(record.events).map((key) => ({ key, stepId: null, folder: `artifacts/${key}` })),
    ...view.steps.map((step) => ({
      key: attemptName(step),
      stepId: step.stepId,
      folder: stepFolderOf(step.stepId, step.attempt),
    })),
  ];
  const steps: ArtifactsDocument['steps'] = [];
  for (const { key, stepId, folder } of folders) {
    const manifest = await readManifestIn(directory, folder);
    if (manifest === null) continue;
    steps.push({
      key,
      step_id: stepId,
      attempt: manifest.attempt,
      artifacts: manifest.artifacts.map(describeArtifact),
    });
  }
  const whole: ArtifactLine[] = [];
  for (const path of RUN_FILES) {
    const file = await files.open(directory.path, path);
    if (file === null) continue;
    await file.close();
    whole.push(
      describeArtifact({
        role: 'run_file',
        path,
        media_type: 'text/plain',
        bytes: file.bytes,
        important: false,
      }),
    );
  }
  return { run_id: view.runId, steps, files: whole };
}

/** Setups and baselines, as the log names their folders. */
function listRunFolders(events: readonly RunEvent[]): readonly string[] {
  const keys = new Set<string>();
  for (const event of events) {
    if (event.event_type !== 'artifact_recorded' || event.step_id !== null) continue;
    const [, key] = /^artifacts\/(_[a-z]+(?:@[1-9]\d*)?)\//.exec(event.payload.path) ?? [];
    if (key !== undefined) keys.add(key);
  }
  return [...keys];
}

async function readManifestIn(directory: RunDirectory, folder: string) {
  const text = await directory.read(`${folder}/manifest.json`);
  const parsed = manifestSchema.safeParse(text === null ? null : parseJson(text));
  return parsed.success ? parsed.data : null;
}

type DescribedArtifact = Pick<ArtifactRecord, 'role' | 'path' | 'media_type' | 'bytes' | 'important'>;

export function describeArtifact({
  role,
  path,
  media_type,
  bytes,
  important,
}: DescribedArtifact): ArtifactLine {
  return {
    role,
    path: showPath(path),
    media_type,
    bytes,
    important,
    url: artifactUrl(path),
    picture: isPictureName(path),
  };
}

/** The address of a file, relative to that of the run. */
export function artifactUrl(path: string): string {
  return `files/${showPath(path).split('/').map(encodeURIComponent).join('/')}`;
}

export interface OpenArtifact {
  /** Relative to the run directory, as it is. */
  readonly path: string;
  readonly file: OpenFile;
}

/**
 * Opens a file that `listArtifacts` lists; `shown` is its path as there. Anything else does not exist, whatever the path
 * looks like: what a request says is compared, and never resolved.
 */
export async function openArtifact(
  run: OpenRun,
  tools: EvidenceTools,
  shown: string,
): Promise<OpenArtifact | null> {
  const { directory } = run.record;
  const candidates = [...RUN_FILES, ...(await listRecordedPaths(run))];
  const path = candidates.find((candidate) => showPath(candidate) === shown);
  const file = path === undefined ? null : await tools.files.open(directory.path, path);
  return path === undefined || file === null ? null : { path, file };
}

/** The paths of all artifacts, from the log and from manifests: a manifest may have been extended later. */
async function listRecordedPaths({ record, view }: OpenRun): Promise<readonly string[]> {
  const logged = record.events.flatMap((event) =>
    event.event_type === 'artifact_recorded' ? [event.payload.path] : [],
  );
  const listed: string[] = [];
  for (const step of view.steps) {
    const manifest = await readManifestIn(record.directory, stepFolderOf(step.stepId, step.attempt));
    listed.push(...(manifest?.artifacts ?? []).map(({ path }) => path));
  }
  return [...logged, ...listed];
}
