import type { FileChange } from '../../contracts/run/workspace-change.ts';
import type { FileTexts } from './changed-command.ts';
import { changedInlineTests, mayHaveInlineTests } from './inline-tests.ts';
import { isJudgeFile } from './judge-files.ts';
import { configurationsNear, filesNamedBy, runsDoctests } from './named-files.ts';
import { addedProbes, mayProbeTests } from './test-probes.ts';

/**
 * New files that are resolved instead of an existing file of the base: `add.js` beside `add.ts`, `calc/__init__.py`
 * beside `calc.py`. Tests load the new file, while the project may build the other one.
 */

const ENDINGS = ['js', 'mjs', 'cjs', 'jsx', 'ts', 'mts', 'cts', 'tsx'];
const SCRIPT = new RegExp(`^(.+)\\.(?:${ENDINGS.join('|')})$`);

/** The files of the base to read before `shadowingFiles` can answer. */
function shadowedCandidates(changes: readonly FileChange[]): string[] {
  return changes.flatMap((change) => listCandidates(change));
}

/** Added paths that shadow a file that existed at the base and still exists. */
function shadowingFiles(changes: readonly FileChange[], base: FileTexts): string[] {
  const removed = new Set(
    changes.flatMap(({ status, path, oldPath }) => (status === 'D' ? [path] : [oldPath ?? ''])),
  );
  return changes
    .filter((change) =>
      listCandidates(change).some((path) => (base.get(path) ?? null) !== null && !removed.has(path)),
    )
    .map(({ path }) => path);
}

function listCandidates({ status, path }: FileChange): string[] {
  if (status !== 'A' && status !== 'R') return [];
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  const name = path.slice(folder.length);
  if (name === 'package.json' && folder !== '') return ENDINGS.map((ending) => `${folder}index.${ending}`);
  if (name === '__init__.py') return folder === '' ? [] : [`${folder.slice(0, -1)}.py`];
  const compiled = /^([A-Za-z_]\w*)(?:\.[\w-]+)?\.(?:so|pyd)$/.exec(name)?.[1];
  if (compiled !== undefined) return [`${folder}${compiled}.py`];
  const stem = SCRIPT.exec(name)?.[1];
  if (stem === undefined || stem.endsWith('.d')) return [];
  const siblings = ENDINGS.map((ending) => `${folder}${stem}.${ending}`);
  const inFolder = ENDINGS.map((ending) => `${folder}${stem}/index.${ending}`);
  return [...siblings, ...inFolder].filter((candidate) => candidate !== path);
}

/** What the content of a change shows about the checks, beyond the names of its files. */
export interface InspectedChange {
  /** Files that decide a verdict because configuration names them, or because they shadow other files. */
  readonly judges: readonly string[];
  /** Code files in which a test was changed or deleted. */
  readonly inline: string[];
  /** `path: code` for code that detects whether tests run, or changes their tools. */
  readonly probes: string[];
}

export interface InspectedPlace {
  /** `tests` in the configuration. */
  readonly tests: readonly string[] | null;
  /** The commands of the checks. */
  readonly commands: readonly (readonly string[])[];
}

export interface WantedTexts {
  readonly base: readonly string[];
  readonly now: readonly string[];
}

/** The files to read, at the base and now, before `inspectChange` can answer. */
export function textsToInspect(changes: readonly FileChange[], tests: readonly string[] | null): WantedTexts {
  const { code, read, configurations } = selectCode(changes, tests);
  if (code.length === 0) return { base: [], now: [] };
  return {
    base: [...new Set([...configurations, ...shadowedCandidates(code), ...oldPaths(read)])],
    now: newPaths(read),
  };
}

export function inspectChange(
  changes: readonly FileChange[],
  base: FileTexts,
  now: FileTexts,
  { tests, commands }: InspectedPlace,
): InspectedChange {
  const { code, read, configurations } = selectCode(changes, tests);
  const configured = pick(base, configurations);
  const hasDoctests = runsDoctests(configured, commands);
  const isInline = (path: string) => mayHaveInlineTests(path) && (!path.endsWith('.py') || hasDoctests);
  const existing = code.filter(({ status }) => status === 'M' || status === 'D').map(({ path }) => path);
  return {
    judges: [...filesNamedBy(configured, existing), ...shadowingFiles(code, base)],
    inline: changedInlineTests(
      pick(base, oldPaths(read).filter(isInline)),
      pick(now, newPaths(read).filter(isInline)),
    ),
    probes: read.flatMap(({ path, oldPath, status }) => {
      const before = status === 'A' ? null : (base.get(oldPath ?? path) ?? null);
      const after = now.get(path) ?? null;
      return after === null ? [] : addedProbes(path, before, after).map((found) => `${path}: ${found}`);
    }),
  };
}

function selectCode(changes: readonly FileChange[], tests: readonly string[] | null) {
  const code = changes.filter(({ path }) => !isJudgeFile(path, tests));
  return {
    code,
    read: code.filter(({ path }) => mayHaveInlineTests(path) || mayProbeTests(path)),
    configurations: configurationsNear(code.map(({ path }) => path)),
  };
}

function oldPaths(changes: readonly FileChange[]): string[] {
  return changes.filter(({ status }) => status !== 'A').map(({ path, oldPath }) => oldPath ?? path);
}

function newPaths(changes: readonly FileChange[]): string[] {
  return changes.filter(({ status }) => status !== 'D').map(({ path }) => path);
}

function pick(texts: FileTexts, paths: readonly string[]): FileTexts {
  return new Map(paths.map((path) => [path, texts.get(path) ?? null]));
}
