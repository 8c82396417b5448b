import { constants, createWriteStream } from 'node:fs';
import { type FileHandle, mkdir, open, rm, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, posix, relative } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type {
  CapturedArtifact,
  CapturedReference,
  CapturedReferences,
  ReferenceRole,
} from '../../ports/validator.ts';
import { hasErrorCode } from '../../text/error-code.ts';
import { messageOf } from '../../text/error-message.ts';
import { isPathInside } from '../../text/paths.ts';
import { isOffLimits, type Roots, realPathOf } from './roots.ts';

/** A file that a report refers to, with its role. */
interface ReportReference {
  readonly reference: string;
  readonly role: ReferenceRole;
}

const IMAGE_FILE = /\.(?:png|jpe?g|gif|webp|bmp|avif)$/i;

/** All files that a report names, without duplicates. Values other than strings are ignored. */
function listReferences(report: Readonly<Record<string, unknown>>): readonly ReportReference[] {
  const proposals = recordsIn(report.proposed_goldens);
  const fixtures = proposals.flatMap(({ proposed_path, diff_ref }) => [proposed_path, diff_ref]);
  const others = [
    ...recordsIn(report.cases).flatMap(({ artifacts }) => asList(artifacts)),
    ...recordsIn(report.ux_flags).map(({ evidence_ref }) => evidence_ref),
  ];
  const roles = new Map<string, ReferenceRole>();
  for (const reference of fixtures) if (isText(reference)) roles.set(reference, 'harness_fixture');
  for (const reference of others)
    if (isText(reference) && !roles.has(reference)) roles.set(reference, roleOf(reference));
  return [...roles].map(([reference, role]) => ({ reference, role }));
}

function roleOf(reference: string): ReferenceRole {
  return IMAGE_FILE.test(reference) ? 'harness_screenshot' : 'validation_artifact';
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}

function recordsIn(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return asList(value).filter(
    (entry): entry is Record<string, unknown> => typeof entry === 'object' && entry !== null,
  );
}

/** A report that refers to more files is too much for a reviewer. */
const MAX_REFERENCES = 1_000;
const FILE_LIMIT_BYTES = 64 * 1024 ** 2;
const TOTAL_LIMIT_BYTES = 512 * 1024 ** 2;
/** Number of problems that are reported individually. */
const MAX_PROBLEMS = 50;
const LONGEST_QUOTE = 200;

interface CapturePlace {
  readonly roots: Roots;
  /** The folder for the validator's artifacts; the files that its report refers to get a subfolder of it. */
  readonly folder: string;
  /** As configured, with links unresolved. */
  readonly runDir: string;
  /** Artifacts captured so far. */
  readonly artifacts: readonly Pick<CapturedArtifact, 'name' | 'path'>[];
}

/**
 * Copies the files that a report refers to, because the next run of the harness overwrites them. References
 * are untrusted, but none is fatal: one that is not a file in the run directory is reported as a problem.
 */
export async function captureReferences(
  report: Readonly<Record<string, unknown>>,
  place: CapturePlace,
): Promise<CapturedReferences> {
  const kept = new Set(place.artifacts.map(({ path }) => relative(place.runDir, path)));
  const references = listReferences(report).filter(({ reference }) => !kept.has(reference));
  const files: CapturedReference[] = [];
  const problems: string[] = [];
  let left = TOTAL_LIMIT_BYTES;
  for (const wanted of references.slice(0, MAX_REFERENCES)) {
    const name = nameOf(wanted.reference);
    const same = files.find(({ path }) => path === copyOf(place, name.path));
    if (same !== undefined) {
      files.push({ ...same, reference: wanted.reference });
      continue;
    }
    const captured =
      name.problem ?? (await captureReference(wanted, name.path, place, left).catch(failureOf));
    if (typeof captured === 'string')
      problems.push(`the report refers to ${quote(wanted.reference)}, ${captured}`);
    else {
      files.push(captured.file);
      left -= captured.bytes;
    }
  }
  const excess = references.length - MAX_REFERENCES;
  if (excess > 0) problems.push(`the report refers to ${excess} files beyond the first ${MAX_REFERENCES}`);
  return { files, problems: limitProblems(problems) };
}

type Captured = { readonly file: CapturedReference; readonly bytes: number } | string;

/** Returns the copy, or what is wrong with the reference. */
async function captureReference(
  wanted: ReportReference,
  name: string,
  place: CapturePlace,
  left: number,
): Promise<Captured> {
  const inRun = join(place.roots.run, name);
  // An artifact that a harness leaves beside the code has been captured from there already.
  const artifact = place.artifacts.find((one) => one.name === name)?.path ?? null;
  const foundInRun = await realPathOf(inRun);
  const source = foundInRun === null && artifact !== null ? artifact : inRun;
  const realPath = await realPathOf(source);
  if (realPath === null) return 'which is not there';
  const problem = source === inRun ? findPlaceProblem(place.roots, realPath) : null;
  if (problem !== null) return problem;
  // Neither blocks on a pipe nor follows a link that was created in the meantime.
  const handle = await open(realPath, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const found = await handle.stat();
    if (!found.isFile()) return 'which is no file';
    if (!(await isUnchanged(source, realPath, found.ino))) return 'which was replaced while it was read';
    if (found.size > FILE_LIMIT_BYTES) return 'which is larger than 64 MiB';
    if (found.size > left) return 'which is too much: the files of a report have 512 MiB together';
    const path = copyOf(place, name);
    await copy(handle, found.size, path);
    return { file: { ...wanted, path }, bytes: found.size };
  } finally {
    await handle.close();
  }
}

type NamedFile =
  | { readonly problem: null; readonly path: string }
  | { readonly problem: string; readonly path: '' };

function copyOf({ folder }: CapturePlace, name: string): string {
  return join(folder, 'report-files', name);
}

function nameOf(reference: string): NamedFile {
  const refuse = (problem: string): NamedFile => ({ problem, path: '' });
  if (reference.includes('\0')) return refuse('which is no path');
  if (isAbsolute(reference)) return refuse('which is not relative to the run directory');
  if (reference.split('/').includes('..')) return refuse('which leaves its place by `..`');
  const path = posix.normalize(reference).replace(/\/+$/, '');
  return path === '' || path === '.' ? refuse('which names nothing') : { problem: null, path };
}

function findPlaceProblem(roots: Roots, realPath: string): string | null {
  if (!isPathInside(roots.run, realPath)) return 'which leads out of the run directory through a link';
  return isOffLimits(roots, realPath) ? 'which the conductor keeps for itself' : null;
}

/** Whether the checked path still leads to the opened file. */
async function isUnchanged(source: string, realPath: string, ino: number): Promise<boolean> {
  if ((await realPathOf(source)) !== realPath) return false;
  return (await stat(realPath).catch(() => null))?.ino === ino;
}

async function copy(handle: FileHandle, size: number, path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const source = handle.createReadStream({ start: 0, end: Math.max(0, size - 1), autoClose: false });
  try {
    await pipeline(source, createWriteStream(path, { flags: 'wx' }));
  } catch (error) {
    // Another file has this name already, and stays.
    if (!hasErrorCode(error, 'EEXIST')) await rm(path, { force: true });
    throw error;
  }
}

function failureOf(error: unknown): string {
  return `which can't be captured: ${messageOf(error)}`;
}

function quote(reference: string): string {
  const shown = reference.length > LONGEST_QUOTE ? `${reference.slice(0, LONGEST_QUOTE)}…` : reference;
  return `\`${shown}\``;
}

function limitProblems(problems: readonly string[]): readonly string[] {
  const hidden = problems.length - MAX_PROBLEMS;
  return hidden > 0 ? [...problems.slice(0, MAX_PROBLEMS), `and ${hidden} more like these`] : problems;
}
