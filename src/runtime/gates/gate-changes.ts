import type { FileChange } from '../../contracts/run/workspace-change.ts';
import type { ApprovalRequest } from '../../policy/changes.ts';
import { NOTE_KINDS, type NoteKind } from '../../policy/content/content-note.ts';
import { type ChangedText, findContentNotes, type PlacedNote } from '../../policy/content/content-notes.ts';
import {
  type ChangedFolder,
  type DecidingKind,
  decidingFiles,
  foldByFolder,
} from '../../policy/files/deciding-files.ts';
import { type ProgramPair, proveEquivalence } from '../../work/scope/proofs/prove-equivalence.ts';
import type { RunContext } from '../run-context.ts';

/** How many files are inspected; those that influence acceptance come first. */
const MAX_INSPECTED = 500;
/** Files with more changed lines than this are not inspected: they are data or generated. */
const MAX_CHANGED_LINES = 50_000;

export interface GateChanges {
  readonly deciding: readonly DecidingChange[];
  /** All other changes. */
  readonly folders: readonly ChangedFolder[];
  readonly content: readonly PlacedNote[];
  /** Number of text files that were not inspected. */
  readonly uninspected: number;
}

type DecidingChange = ShownChange & { readonly kind: DecidingKind };

/** A change as the gate request shows it. */
export interface ShownChange {
  readonly path: string;
  readonly old_path: string | null;
  readonly status: string;
  readonly insertions: number | null;
  readonly deletions: number | null;
}

export function shownChange({ path, oldPath, status, insertions, deletions }: FileChange): ShownChange {
  return { path, old_path: oldPath, status, insertions, deletions };
}

/** Splits a change into the files that influence acceptance, notes about its content, and the rest by folder. */
export async function gateChanges(
  context: RunContext,
  files: readonly FileChange[],
  tree: string,
  approvals: readonly ApprovalRequest[],
): Promise<GateChanges> {
  const tests = context.deps.project.tests ?? null;
  const deciding = decidingFiles(files, tests, new Set(approvals.map(({ path }) => path)));
  const chosen = new Set(deciding.map(({ change }) => change));
  const others = files.filter((change) => !chosen.has(change));
  const readable = [...chosen, ...others].filter(isReadable);
  const isTest = new Set(deciding.filter(({ kind }) => kind === 'test').map(({ change }) => change));
  const texts = await readTexts(context, readable.slice(0, MAX_INSPECTED), tree, isTest);
  const content = [...findContentNotes(texts), ...(await sameProgramNotes(context, texts))];
  return {
    deciding: deciding.map(({ change, kind }) => ({ ...shownChange(change), kind })),
    folders: foldByFolder(others),
    content: content.sort((a, b) => rankOf(a.kind) - rankOf(b.kind)),
    uninspected: Math.max(0, readable.length - MAX_INSPECTED),
  };
}

function rankOf(kind: NoteKind): number {
  return NOTE_KINDS.indexOf(kind);
}

/** Excludes binary files, symbolic links, submodules and very large changes. */
function isReadable({ insertions, deletions, oldMode, newMode }: FileChange): boolean {
  const isFile = ![oldMode, newMode].some((mode) => mode === '120000' || mode === '160000');
  return isFile && insertions !== null && insertions + (deletions ?? 0) <= MAX_CHANGED_LINES;
}

async function readTexts(
  { deps, workspace }: RunContext,
  files: readonly FileChange[],
  tree: string,
  isTest: ReadonlySet<FileChange>,
): Promise<ChangedText[]> {
  const oldPath = (change: FileChange) => change.oldPath ?? change.path;
  const old = files.filter(({ status }) => status !== 'A').map(oldPath);
  const left = files.filter(({ status }) => status !== 'D').map(({ path }) => path);
  const base = await deps.workspace.readFiles(workspace, workspace.baseSha, old);
  const now = await deps.workspace.readFiles(workspace, tree, left);
  return files.map((change) => ({
    path: change.path,
    before: change.status === 'A' ? null : (base.get(oldPath(change)) ?? null),
    now: change.status === 'D' ? null : (now.get(change.path) ?? null),
    isTest: isTest.has(change),
  }));
}

/** Notes for files whose program is unchanged, by the same proofs that check the scope of a work item. */
async function sameProgramNotes({ deps }: RunContext, texts: readonly ChangedText[]): Promise<PlacedNote[]> {
  const encoder = new TextEncoder();
  const steps = texts.flatMap(({ path, before, now }) => {
    if (before === null || now === null || before === now) return [];
    return [
      { path, step: proveEquivalence(path, { before: encoder.encode(before), after: encoder.encode(now) }) },
    ];
  });
  const pairs: ProgramPair[] = steps.flatMap(({ step }) => (step.kind === 'compile' ? [step.pair] : []));
  const compared =
    pairs.length === 0 || deps.programs === undefined ? [] : await deps.programs.compare(pairs, EMITS);
  let next = 0;
  return steps.flatMap(({ path, step }): PlacedNote[] => {
    const proof = step.kind === 'decided' ? step.proof : compared[next++];
    if (proof?.proved !== true) return [];
    return [{ path, kind: 'same_program', line: null, text: 'changes only comments, white space or types' }];
  });
}

const EMITS = { keepsImports: false, emitsTypes: false };
