import type {
  ChangedFileDocument,
  ChangedLine,
  ChangesDocument,
} from '../../../src/contracts/http/changes-page.ts';
import { ApiError, getJson } from '../api/http.ts';
import { runPath, withQuery } from '../api/paths.ts';
import { background } from '../state/background.ts';
import type { DiffFile, DiffLine, FilePart } from './diff-rows.ts';
import type { Token } from './tokens.ts';

export type ChangedFile = ChangesDocument['files'][number];

/** How many files of the list, and how many lines of a file, are fetched at a time. */
const FILES_PER_PAGE = 500;
const LINES_PER_PAGE = 400;
/** A diff above this is folded until it is asked for. */
const LARGE_FILE = 3_000;

interface FileState {
  readonly file: ChangedFile;
  /** Pages of lines by their number. */
  readonly pages: Map<number, readonly FilePart[]>;
  isFolded: boolean;
}

/** What is known of one diff, fetched as it is looked at. */
export interface DiffStore {
  readonly files: () => readonly DiffFile[];
  readonly changed: () => readonly ChangedFile[];
  readonly totals: () => {
    readonly files: number;
    readonly insertions: number;
    readonly deletions: number;
  } | null;
  readonly problem: () => string | null;
  readonly error: () => ApiError | null;
  readonly needLines: (file: number, from: number) => void;
  readonly needFiles: () => void;
  readonly toggle: (file: number) => void;
  readonly unfold: (file: number) => void;
}

/** Which change a diff shows. */
interface ShownChange {
  readonly repo: string;
  readonly run: string;
  /** Null for the change of the whole run. */
  readonly step: string | null;
  /** The event after which the change is wanted; null for now. */
  readonly at: number | null;
}

export function createDiffStore({ repo, run, step, at }: ShownChange, onChange: () => void): DiffStore {
  const path = `${runPath(repo, run)}/changes`;
  const states: FileState[] = [];
  const pending = new Set<string>();
  let head: ChangesDocument | null = null;
  let error: ApiError | null = null;
  let laidOut: DiffFile[] | null = null;
  const change = (): void => {
    laidOut = null;
    onChange();
  };
  const once = async (key: string, act: () => Promise<void>): Promise<void> => {
    if (pending.has(key)) return;
    pending.add(key);
    try {
      await act();
      error = null;
    } catch (cause) {
      error = cause instanceof ApiError ? cause : new ApiError(0, 'unexpected', String(cause), null);
    }
    pending.delete(key);
    change();
  };
  const fetchFiles = async (): Promise<void> => {
    const offset = states.length;
    const found = await getJson<ChangesDocument>(
      withQuery(path, { step, at, offset, limit: FILES_PER_PAGE }),
    );
    head = found;
    for (const file of found.files)
      states.push({ file, pages: new Map(), isFolded: foldReason(file) !== null });
  };
  const paint = async (
    state: FileState,
    page: number,
    language: string | null,
    parts: readonly FilePart[],
  ) => {
    const coloured = await colour(language, parts);
    if (coloured === null) return;
    state.pages.set(page, coloured);
    change();
  };
  const fetchLines = async (state: FileState, page: number): Promise<void> => {
    const from = page * LINES_PER_PAGE;
    const query = { path: state.file.path, step, at, from, limit: LINES_PER_PAGE };
    const found = await getJson<ChangedFileDocument>(withQuery(`${path}/file`, query));
    const parts = partsOf(found);
    state.pages.set(page, parts);
    background(paint(state, page, found.language, parts));
  };
  return {
    files: () => (laidOut ??= states.map(layOut)),
    changed: () => states.map(({ file }) => file),
    totals: () =>
      head === null ? null : { files: head.total, insertions: head.insertions, deletions: head.deletions },
    problem: () => head?.problem ?? null,
    error: () => error,
    needFiles: () => {
      if (head === null || states.length < head.total) background(once('files', fetchFiles));
    },
    needLines: (file, from) => {
      const state = states[file];
      const page = Math.floor(from / LINES_PER_PAGE);
      if (state === undefined || state.pages.has(page)) return;
      background(once(`${file}-${page}`, () => fetchLines(state, page)));
    },
    toggle: (file) => {
      const state = states[file];
      if (state !== undefined) state.isFolded = !state.isFolded;
      change();
    },
    unfold: (file) => {
      const state = states[file];
      if (state === undefined || !state.isFolded) return;
      state.isFolded = false;
      change();
    },
  };
}

function layOut({ file, pages, isFolded }: FileState): DiffFile {
  const parts: FilePart[] = [];
  for (let from = 0; from < file.lines; from += LINES_PER_PAGE) {
    const known = pages.get(from / LINES_PER_PAGE);
    if (known === undefined)
      parts.push({ kind: 'gap', from, lines: Math.min(LINES_PER_PAGE, file.lines - from) });
    else parts.push(...known);
  }
  const nothing = file.binary ? 'Binary file.' : file.lines === 0 ? 'No lines changed.' : null;
  return { path: file.path, fold: nothing ?? (isFolded ? (foldReason(file) ?? 'Folded.') : null), parts };
}

/** Why a file starts folded; null if it doesn't. */
function foldReason({ generated, lines, status }: ChangedFile): string | null {
  if (generated) return 'Generated file.';
  if (lines > LARGE_FILE) return 'Large change.';
  if (status === 'D' && lines > 200) return 'Deleted file.';
  return null;
}

function partsOf({ hunks, from }: ChangedFileDocument): FilePart[] {
  let at = from;
  return hunks.map(({ old_start, new_start, continued, heading, lines }) => {
    const part: FilePart = {
      kind: 'hunk',
      heading: continued ? '' : `@@ −${old_start} +${new_start} @@ ${heading}`.trim(),
      lines: lines.map(lineOf),
      from: at,
    };
    at += lines.length;
    return part;
  });
}

function lineOf([kind, oldNumber, newNumber, text]: ChangedLine): DiffLine {
  return { kind, oldNumber, newNumber, text, tokens: null };
}

/** Colours each side of each hunk as code of its own, because a line alone may be the middle of a comment. */
async function colour(language: string | null, parts: readonly FilePart[]): Promise<FilePart[] | null> {
  if (language === null) return null;
  const { highlightLines } = await import('./highlight.ts');
  const coloured: FilePart[] = [];
  for (const part of parts) {
    if (part.kind === 'gap') continue;
    const tokens = new Map<DiffLine, readonly Token[]>();
    for (const left of ['added', 'removed'] as const) {
      const side = part.lines.filter(({ kind }) => kind !== left && kind !== 'note');
      const found = await highlightLines(
        language,
        side.map(({ text }) => text),
      );
      if (found === null) return null;
      for (const [index, line] of side.entries()) tokens.set(line, found[index] ?? []);
    }
    coloured.push({
      ...part,
      lines: part.lines.map((line) => ({ ...line, tokens: tokens.get(line) ?? null })),
    });
  }
  return coloured;
}
