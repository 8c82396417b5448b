import type { EventDraft } from '../../contracts/run/event.ts';
import {
  type ArtifactRecord,
  type Manifest,
  manifestSchema,
  type RunFolder,
  stepFolderOf,
} from '../../contracts/run/run-files.ts';
import type { Termination } from '../../contracts/vocabulary.ts';
import type { ActiveStep } from '../../kernel/state.ts';
import { maskSecrets, maskValue } from '../../policy/secrets/secrets.ts';
import type { Clock } from '../../ports/clock.ts';
import type { FileDigest, RunDirectory } from '../../ports/run-store.ts';
import { parseJson } from '../../text/json.ts';
import { toJson } from '../json.ts';

interface ArtifactFlags {
  readonly required?: boolean;
  readonly important?: boolean;
}

/** The evidence folder of one attempt at a step. `close` writes the manifest that readers rely on. */
export interface Evidence {
  /** Relative to the run directory. */
  readonly folder: string;
  readonly path: string;
  readonly text: (role: string, name: string, content: string, flags?: ArtifactFlags) => Promise<FileDigest>;
  readonly json: (role: string, name: string, value: unknown, flags?: ArtifactFlags) => Promise<FileDigest>;
  /** Adds a file that is already in the run directory. */
  readonly file: (role: string, absolutePath: string, flags?: ArtifactFlags) => Promise<FileDigest>;
  readonly close: (termination: Termination, summary: string) => Promise<readonly EventDraft[]>;
}

/** Masks secrets in texts and values that it writes; files that it adds stay as they were captured. */
export function openEvidence(
  directory: RunDirectory,
  { stepId, opcode, attempt }: ActiveStep,
  clock: Clock,
  secrets: readonly string[] = [],
): Promise<Evidence> {
  return openFolder(directory, stepId, { step_id: stepId, opcode, attempt }, clock, secrets);
}

/**
 * Opens an evidence folder that belongs to the run, not to a step. Each setup and baseline has its own folder; the
 * event with its result is recorded right after the events that `close` returns. Its termination is
 * `completed` unless setup failed or the checks can't run; a red baseline is completed.
 */
export function openRunEvidence(
  directory: RunDirectory,
  folder: RunFolder,
  events: readonly EventDraft[],
  clock: Clock,
  secrets: readonly string[] = [],
): Promise<Evidence> {
  const attempt = nextAttempt(folder, events);
  return openFolder(directory, folder, { step_id: null, opcode: null, attempt }, clock, secrets);
}

/** One more than the log has recorded. A folder that no event names is left over from a crash and is overwritten. */
function nextAttempt(folder: RunFolder, events: readonly EventDraft[]): number {
  const used = new Set<string>();
  for (const event of events) {
    if (event.event_type !== 'artifact_recorded' || event.step_id !== null) continue;
    const [, name = ''] = event.payload.path.split('/');
    if (name === folder || name.startsWith(`${folder}@`)) used.add(name);
  }
  return used.size + 1;
}

async function openFolder(
  directory: RunDirectory,
  name: string,
  subject: Pick<Manifest, 'step_id' | 'opcode' | 'attempt'>,
  clock: Clock,
  secrets: readonly string[],
): Promise<Evidence> {
  const folder = await directory.makeStepFolder(name, subject.attempt);
  const startedAt = clock.now().toISOString();
  const artifacts: ArtifactRecord[] = [];
  const take = (role: string, digest: FileDigest, flags: ArtifactFlags = {}) => {
    artifacts.push({
      role,
      path: digest.path,
      media_type: mediaTypeOf(digest.path),
      sha256: digest.sha256,
      bytes: digest.bytes,
      required: flags.required ?? false,
      important: flags.important ?? false,
    });
    return digest;
  };
  return {
    folder,
    path: directory.resolve(folder),
    text: async (role, name, content, flags) =>
      take(role, await directory.write(`${folder}/${name}`, maskSecrets(content, secrets)), flags),
    json: async (role, name, value, flags) =>
      take(role, await directory.write(`${folder}/${name}`, toJson(maskValue(value, secrets))), flags),
    file: async (role, absolutePath, flags) => take(role, await directory.digest(absolutePath), flags),
    close: async (termination, summary) => {
      const manifest: Manifest = {
        ...subject,
        started_at: startedAt,
        ended_at: clock.now().toISOString(),
        termination,
        evidence_summary: maskSecrets(summary, secrets),
        artifacts,
      };
      // The log records the digests next, so the files must be on disk first. They are synced before the manifest:
      // a manifest that survives a power cut must not list files that did not, even for an unrecorded attempt.
      await directory.sync(artifacts.map((artifact) => artifact.path));
      await directory.write(`${folder}/manifest.json`, toJson(manifest), { durable: true });
      return artifacts.map(({ role, path, sha256, bytes }) => ({
        event_type: 'artifact_recorded',
        step_id: subject.step_id,
        payload: { role, path, sha256, bytes },
      }));
    },
  };
}

export interface StepKey {
  readonly stepId: string;
  readonly attempt: number;
}

/** The manifest of an attempt; null if it is missing or invalid. */
export async function readManifest(directory: RunDirectory, key: StepKey): Promise<Manifest | null> {
  const folder = stepFolderOf(key.stepId, key.attempt);
  const text = await directory.read(`${folder}/manifest.json`);
  if (text === null) return null;
  const parsed = manifestSchema.safeParse(parseJson(text));
  return parsed.success ? parsed.data : null;
}

/** Adds an artifact and a line of summary to the manifest of a closed attempt. */
export async function extendManifest(
  directory: RunDirectory,
  key: StepKey,
  change: {
    /** The log so far: artifacts in it are not recorded again. */
    readonly events: readonly EventDraft[];
    readonly endedAt: string;
    readonly summary: string;
    readonly termination?: Termination;
    readonly artifact?: { readonly role: string; readonly digest: FileDigest };
  },
): Promise<readonly EventDraft[]> {
  const manifest = await readManifest(directory, key);
  if (manifest === null) throw new Error(`the manifest of ${key.stepId} is missing`);
  const added = change.artifact === undefined ? [] : [addedRecord(change.artifact)];
  // If an earlier call was interrupted, the summary is already in the manifest.
  const isAlreadyAdded = manifest.evidence_summary.endsWith(`; ${change.summary}`);
  const extended: Manifest = {
    ...manifest,
    ended_at: change.endedAt,
    termination: change.termination ?? manifest.termination,
    evidence_summary: isAlreadyAdded
      ? manifest.evidence_summary
      : `${manifest.evidence_summary}; ${change.summary}`,
    artifacts: [...manifest.artifacts.filter(({ role }) => role !== change.artifact?.role), ...added],
  };
  await directory.sync(added.map(({ path }) => path));
  await directory.write(`${stepFolderOf(key.stepId, key.attempt)}/manifest.json`, toJson(extended), {
    durable: true,
  });
  return added
    .filter(({ path, sha256 }) => !isRecorded(change.events, path, sha256))
    .map(({ role, path, sha256, bytes }) => ({
      event_type: 'artifact_recorded',
      step_id: key.stepId,
      payload: { role, path, sha256, bytes },
    }));
}

function isRecorded(events: readonly EventDraft[], path: string, sha256: string): boolean {
  return events.some(
    ({ event_type, payload }) =>
      event_type === 'artifact_recorded' && payload.path === path && payload.sha256 === sha256,
  );
}

function addedRecord({
  role,
  digest,
}: {
  readonly role: string;
  readonly digest: FileDigest;
}): ArtifactRecord {
  const { path, sha256, bytes } = digest;
  return { role, path, media_type: mediaTypeOf(path), sha256, bytes, required: true, important: true };
}

/** Finds evidence by step and role, never by file name. */
export async function readEvidence(
  directory: RunDirectory,
  key: StepKey,
  role: string,
  options?: { readonly firstBytes?: number },
): Promise<string | null> {
  const manifest = await readManifest(directory, key);
  const artifact = manifest?.artifacts.find((candidate) => candidate.role === role);
  return artifact === undefined ? null : directory.read(artifact.path, options);
}

/** All artifacts of a role: a step may have several, one for each validator. */
export async function readAllEvidenceJson(
  directory: RunDirectory,
  key: StepKey,
  role: string,
): Promise<readonly unknown[]> {
  const manifest = await readManifest(directory, key);
  const artifacts = manifest?.artifacts.filter((candidate) => candidate.role === role) ?? [];
  return Promise.all(artifacts.map(async ({ path }) => parseJson((await directory.read(path)) ?? '')));
}

export async function readEvidenceJson(
  directory: RunDirectory,
  key: StepKey,
  role: string,
): Promise<unknown> {
  const text = await readEvidence(directory, key, role);
  return text === null ? null : parseJson(text);
}

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  md: 'text/markdown',
  txt: 'text/plain',
  log: 'text/plain',
  patch: 'text/x-diff',
  html: 'text/html',
  xml: 'application/xml',
  png: 'image/png',
  jpg: 'image/jpeg',
  svg: 'image/svg+xml',
};

function mediaTypeOf(path: string): string {
  const extension = path.slice(path.lastIndexOf('.') + 1).toLowerCase();
  return MEDIA_TYPES[extension] ?? 'application/octet-stream';
}
