import { RUN_FOLDERS, stepFolderOf } from '../../contracts/run/run-files.ts';
import type { FileDigest } from '../../ports/run-store.ts';
import {
  type ArtifactEvent,
  lineOf,
  problemIn,
  type VerifyContext,
  type VerifyProblem,
} from './verify-context.ts';

/** Checks that every artifact exists, is a file inside the run directory, and has the recorded bytes. */
export async function verifyArtifacts(context: VerifyContext): Promise<readonly VerifyProblem[]> {
  const problems: VerifyProblem[] = [];
  for (const event of context.artifacts.values()) {
    const message = await findProblem(context, event);
    if (message !== null) problems.push(problemIn(event.payload.path, message));
  }
  return problems;
}

async function findProblem(context: VerifyContext, event: ArtifactEvent): Promise<string | null> {
  const { path, sha256, bytes } = event.payload;
  const where = `events.ndjson line ${lineOf(event)}`;
  if (path.startsWith('/') || path.split('/').includes('..')) return 'is not inside the run directory';
  if (!isInFolderOf(path, event.step_id))
    return event.step_id === null
      ? `is not in ${RUN_FOLDERS.join(' or ')}, where ${where} belongs`
      : `is not in a folder of step "${event.step_id}", as ${where} says`;
  const digest = await digestOf(context, path);
  if (!context.files.has(path))
    return digest === null ? 'is missing, or was replaced by a link' : 'is reached through a link';
  if (digest === null) return 'is missing';
  if (digest.bytes !== bytes) return `has ${digest.bytes} bytes where ${where} says ${bytes}`;
  return digest.sha256 === sha256 ? null : `does not have the sha256 of ${where}`;
}

/** Artifacts that belong to no step are in one of the run's own folders. */
function isInFolderOf(path: string, stepId: string | null): boolean {
  const [root, folder, ...rest] = path.split('/');
  const name = folder?.replace(/@[1-9]\d*$/, '');
  if (root !== 'artifacts' || rest.length === 0) return false;
  return stepId === null ? RUN_FOLDERS.some((known) => known === name) : name === stepId;
}

/** Null if the file can't be read. */
export async function digestOf({ directory }: VerifyContext, path: string): Promise<FileDigest | null> {
  try {
    return await directory.digest(directory.resolve(path));
  } catch {
    return null;
  }
}

/** Files that conductor and an agent exchange; the evidence of the step contains the relevant parts. */
const EXCHANGED_FILES = new Set(['inputs.json', 'result.json']);

/** Files in step folders that no event or manifest names. A running step or preparation may still record its own. */
export function unrecordedFiles({ files, artifacts, view }: VerifyContext): readonly string[] {
  const last = view.steps.at(-1);
  const open =
    last === undefined || last.termination !== null ? null : stepFolderOf(last.stepId, last.attempt);
  const isPreparing = view.state.stage.kind === 'preparing';
  const byFolder = new Map<string, string[]>();
  for (const path of files) {
    if (!path.startsWith('artifacts/') || artifacts.has(path) || path.endsWith('/manifest.json')) continue;
    const [root, name, ...rest] = path.split('/');
    const folder = `${root}/${name}`;
    if (EXCHANGED_FILES.has(rest.at(-1) ?? '')) continue;
    if (folder === open || (isPreparing && RUN_FOLDERS.some((known) => known === name))) continue;
    byFolder.set(folder, [...(byFolder.get(folder) ?? []), rest.join('/')]);
  }
  return [...byFolder].map(([folder, names]) => `${folder} holds what no event records: ${names.join(', ')}`);
}
