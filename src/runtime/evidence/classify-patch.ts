import { createHash } from 'node:crypto';
import type { FileChange } from '../../contracts/run/workspace-change.ts';
import { type ParsedPatch, type PatchText, parsePatch } from '../../policy/patches/patch.ts';
import type { EmitSettings, FoundContents, Programs, ScopeSources } from '../../ports/work/scope-sources.ts';
import { decodeUtf8 } from '../../text/utf8.ts';
import { readBody } from '../../work/bodies/body.ts';
import type { ScopeEntry } from '../../work/bodies/scope-entry.ts';
import type { ScopeExtension } from '../../work/items/state.ts';
import { applyHunks, readOldSide } from '../../work/scope/apply-hunks.ts';
import { readAttestations } from '../../work/scope/attestations.ts';
import {
  classifyScope,
  findInvalidAttestations,
  findValidCorrections,
  listChangedPaths,
  notProved,
  type Proof,
  type ScopedFile,
  type ScopeInput,
} from '../../work/scope/classify-scope.ts';
import { entryPath } from '../../work/scope/coverage.ts';
import {
  type FileVersions,
  type ProgramPair,
  proveEquivalence,
} from '../../work/scope/proofs/prove-equivalence.ts';

/** Shorter ids match by chance too easily. */
const SHORTEST_ID = 7;

export interface ScopeQuestion {
  readonly inScope: readonly ScopeEntry[];
  readonly outOfScope: readonly ScopeEntry[];
  readonly extensions: readonly ScopeExtension[];
  readonly patch: Extract<ParsedPatch, { ok: true }>;
  readonly summary: string;
  /** Null if there is no repository. */
  readonly sources: ScopeSources | null;
  readonly programs: Programs;
}

export interface ScopeVerdict {
  readonly ok: boolean;
  readonly files: readonly ScopedFile[];
  /** Corrections from the summary that are valid. */
  readonly corrections: readonly { readonly listed: string; readonly actual: string; readonly why: string }[];
  /** Out-of-scope paths; a summary can't justify them. */
  readonly forbidden: readonly string[];
  /** Lines of the summary that don't count, with the reason. */
  readonly notes: readonly string[];
}

/** Classifies the files of a patch by the four scope rules. Reads only files that no list covers. */
export async function classifyPatch(question: ScopeQuestion): Promise<ScopeVerdict> {
  const { inScope, outOfScope, extensions, patch, summary, sources } = question;
  const entries = [...inScope, ...outOfScope, ...extensions].map(({ path }) => entryPath(path));
  const folders = (await sources?.areFolders([...new Set(entries)])) ?? new Map<string, boolean | null>();
  const input: ScopeInput = {
    inScope,
    outOfScope,
    extensions,
    changes: patch.changes,
    isFolder: (path) => folders.get(path) ?? null,
    proofs: new Map(),
    attestations: readAttestations(summary, listChangedPaths(patch.changes), inScope),
  };
  const open = new Set(classifyScope(input).flatMap(({ path, proved }) => (proved === false ? [path] : [])));
  const proven = { ...input, proofs: await proveAll(open, question) };
  const files = classifyScope(proven);
  const forbidden = files.filter(({ class: kind }) => kind === 'out_of_scope').map(({ path }) => path);
  return {
    ok: forbidden.length === 0 && files.every(({ class: kind }) => kind !== 'unlisted'),
    files,
    corrections: findValidCorrections(proven).map(({ listed, actual, why }) => ({ listed, actual, why })),
    forbidden,
    notes: [...new Set(findInvalidAttestations(proven))],
  };
}

/** Classifies the patch of a work item as conductor recorded it. */
export type PatchClassifier = (question: {
  readonly body: string;
  readonly extensions: readonly ScopeExtension[];
  readonly base: string;
  readonly patch: string;
  readonly summary: string;
}) => Promise<PatchClassification>;

type PatchClassification =
  | { readonly ok: true; readonly verdict: ScopeVerdict }
  | { readonly ok: false; readonly reason: string };

interface ClassifierDeps {
  /** Opens the files of the repository at a base commit. */
  readonly openSources: (base: string) => Promise<ScopeSources | null>;
  readonly programs: Programs;
}

export function createPatchClassifier({ openSources, programs }: ClassifierDeps): PatchClassifier {
  return async ({ body, extensions, base, patch, summary }) => {
    const parsed = parsePatch(patch);
    if (!parsed.ok)
      return {
        ok: false,
        reason: `the recorded patch can't be parsed: line ${parsed.line}: ${parsed.message}`,
      };
    const { inScope, outOfScope } = readBody(body);
    const sources = await openSources(base);
    const lists = { inScope, outOfScope, extensions };
    const verdict = await classifyPatch({ ...lists, patch: parsed, summary, sources, programs });
    return { ok: true, verdict };
  };
}

interface OpenFile {
  readonly path: string;
  readonly change: FileChange;
  readonly text: PatchText;
}

async function proveAll(
  open: ReadonlySet<string>,
  { patch, sources, programs }: ScopeQuestion,
): Promise<ReadonlyMap<string, Proof>> {
  const proofs = new Map<string, Proof>();
  const files: OpenFile[] = [];
  const seen = new Set<string>();
  patch.changes.forEach((change, index) => {
    const ends = change.oldPath === null ? [change.path] : [change.oldPath, change.path];
    const text = patch.texts[index];
    const reason = explainUnprovableShape(change);
    for (const path of ends.filter((end) => open.has(end))) {
      if (seen.has(path)) proofs.set(path, notProved('the patch names it more than once'));
      else if (reason !== null || text === undefined)
        proofs.set(path, notProved(reason ?? 'the patch has no text of it'));
      else files.push({ path, change, text });
      seen.add(path);
    }
  });
  const once = files.filter(({ path }) => !proofs.has(path));
  const contents = (await sources?.read(once.map(toLookup))) ?? [];
  const settings = (await sources?.emitSettings()) ?? { keepsImports: false, emitsTypes: false };
  const proved = await prove(
    once.map((file, index) => versionsOf(file, contents[index] ?? null)),
    { programs, settings },
  );
  once.forEach(({ path }, index) => {
    const found = proved[index] ?? null;
    const missing =
      sources === null
        ? 'the whole file is unknown, because there is no repository'
        : 'the patch applies to no known version of the file';
    proofs.set(path, found ?? notProved(missing));
  });
  return proofs;
}

/** Changes that a comparison of contents can't prove harmless. */
function explainUnprovableShape(change: FileChange): string | null {
  if (change.status === 'R') return 'the file is moved';
  if (change.status === 'A') return 'the file is new';
  if (change.status === 'D') return 'a file is deleted';
  if (change.oldMode !== change.newMode) return 'its mode changed';
  if (change.newMode === '120000') return 'it is a link';
  if (change.newMode === '160000') return 'it is a submodule';
  return change.insertions === null ? 'it is a binary file' : null;
}

function toLookup({ path, change, text }: OpenFile) {
  return { path, oldBlob: text.oldBlob, newBlob: change.blob };
}

/**
 * Returns every version that the hunks apply to exactly. Blob ids in a patch are only claims, so the base version also
 * counts if the hunks apply to it.
 */
function versionsOf({ path, text }: OpenFile, found: FoundContents | null): readonly VersionsOfFile[] {
  const forward = [found?.base, found?.oldBlob].flatMap((before) =>
    applyToVersion(before ?? null, text, false),
  );
  const backward = [found?.newBlob, found?.checkout].flatMap((after) =>
    applyToVersion(after ?? null, text, true),
  );
  const alone = applyToVersion(wholeFileBefore(text), text, false);
  const versions = forward.length > 0 ? forward : [...backward, ...alone].slice(0, 1);
  return versions.map((each) => ({ path, versions: each }));
}

interface VersionsOfFile {
  readonly path: string;
  readonly versions: FileVersions;
}

function applyToVersion(bytes: Uint8Array | null, { hunks }: PatchText, reverse: boolean): FileVersions[] {
  if (bytes === null) return [];
  const text = decodeUtf8(bytes);
  const other = text === null ? null : applyHunks(text, hunks, reverse);
  if (other === null) return [];
  const made = new TextEncoder().encode(other);
  return [reverse ? { before: made, after: bytes } : { before: bytes, after: made }];
}

interface Compiler {
  readonly programs: Programs;
  readonly settings: EmitSettings;
}

/** For each file, the first failed proof, otherwise a successful one; null if no version was found. */
async function prove(
  files: readonly (readonly VersionsOfFile[])[],
  { programs, settings }: Compiler,
): Promise<readonly (Proof | null)[]> {
  const steps = files.map((each) => each.map(({ path, versions }) => proveEquivalence(path, versions)));
  const pairs: ProgramPair[] = steps.flat().flatMap((step) => (step.kind === 'compile' ? [step.pair] : []));
  const compared = pairs.length === 0 ? [] : await programs.compare(pairs, settings);
  let next = 0;
  return steps.map((each) => {
    const proofs = each.map((step) => {
      if (step.kind === 'decided') return step.proof;
      next += 1;
      return compared[next - 1] ?? notProved('the compiler did not answer');
    });
    return proofs.find(({ proved }) => !proved) ?? proofs[0] ?? null;
  });
}

/** Warnings for the reviewer. A file outside the scope is a warning, not a finding. */
export function formatScopeWarnings(files: readonly ScopedFile[]): readonly string[] {
  return files.flatMap(({ path, class: kind, proved, reason }) => {
    if (kind === 'out_of_scope') return [`[Warning] ${path} is out of scope: ${reason}`];
    if (kind === 'unlisted') return [`[Warning] ${path} is not in scope: ${reason}`];
    if (kind === 'incidental' && proved === false) return [`[Warning] ${path} is incidental: ${reason}`];
    return [];
  });
}

/** The file before a patch, if a single hunk contains all of it; its blob id proves that nothing is missing. */
function wholeFileBefore({ hunks, oldBlob }: PatchText): Uint8Array | null {
  const [hunk, second] = hunks;
  if (hunk === undefined || second !== undefined || hunk.oldStart !== 1) return null;
  const text = readOldSide(hunk);
  if (text === null || oldBlob.length < SHORTEST_ID) return null;
  const bytes = new TextEncoder().encode(text);
  const isMatch = ['sha1', 'sha256'].some((algorithm) => blobId(algorithm, bytes).startsWith(oldBlob));
  return isMatch ? bytes : null;
}

function blobId(algorithm: string, bytes: Uint8Array): string {
  return createHash(algorithm).update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}
