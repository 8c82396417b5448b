import { closeSync, fstatSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Prompt, ReadTemplate } from '../../contracts/documents/prompt.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import type { PromptCatalog } from '../../ports/prompts.ts';
import { type CheckedPrompt, checkPrompt } from '../../workflow/document/prompt-document.ts';
import { findTemplateProblems } from '../../workflow/document/prompt-template.ts';
import type { KnownPrompt } from '../../workflow/rule.ts';
import { createLineIndex } from '../../workflow/yaml/line-index.ts';
import { MAX_SOURCE_BYTES } from '../../workflow/yaml/source-text.ts';

const PROMPT_FILE = /^(.+\.v\d+)\.md$/;

/** Prompts by reference, each read on first use: checking a workflow needs only those it names. */
export interface PromptIndex {
  readonly keys: () => IterableIterator<string>;
  /** Undefined if the prompt does not exist or its file is invalid. */
  readonly get: (ref: string) => (Prompt & Pick<KnownPrompt, 'problem'>) | undefined;
}

export interface BrokenPrompt {
  readonly name: string;
  readonly problem: string;
  readonly text: string;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Indexes prompt folders in order of precedence: a prompt hides later ones with the same reference. Without
 * `readTemplate`, templates are not checked.
 */
export function indexPrompts(
  folders: readonly string[],
  readTemplate: ReadTemplate | null = null,
): PromptIndex {
  const paths = promptPaths(folders);
  const read = new Map<string, ReturnType<PromptIndex['get']>>();
  return {
    keys: () => paths.keys(),
    get: (ref) => {
      const path = paths.get(ref);
      if (path === undefined) return undefined;
      if (!read.has(ref)) read.set(ref, toIndexed(path, readPrompt(path, ref), readTemplate));
      return read.get(ref);
    },
  };
}

function toIndexed(path: string, checked: CheckedPrompt, readTemplate: ReadTemplate | null) {
  const { prompt, text, bodyOffset } = checked;
  if (prompt === null) return undefined;
  if (readTemplate === null) return prompt;
  const declared = prompt.inputs.map(({ name }) => name);
  const problem: NonNullable<KnownPrompt['problem']> = (given) => {
    const [first] = findTemplateProblems(readTemplate(prompt.body), [...declared, ...given]);
    if (first === undefined) return null;
    const { line, column } = createLineIndex(text).span(bodyOffset + first.offset, bodyOffset + first.offset);
    return { message: first.message, help: first.help, place: `${path}:${line}:${column}` };
  };
  return { ...prompt, problem };
}

/** Reads all prompts and lists the invalid files. */
export function readPrompts(folders: readonly string[]): {
  readonly byRef: ReadonlyMap<string, Prompt>;
  readonly broken: readonly BrokenPrompt[];
} {
  const byRef = new Map<string, Prompt>();
  const broken: BrokenPrompt[] = [];
  for (const [ref, path] of promptPaths(folders)) {
    const { prompt, text, diagnostics } = readPrompt(path, ref);
    if (prompt === null) broken.push({ name: path, problem: 'has errors', text, diagnostics });
    else byRef.set(ref, prompt);
  }
  return { byRef, broken };
}

/**
 * The prompts of a run. Those of the repository and the user are read at once, so that edits during the run
 * have no effect. The built-in ones in the last folder are known to be valid, and a run needs few of them, so
 * each is read on first use.
 */
export function openPrompts(folders: readonly string[]): {
  readonly byRef: PromptCatalog['byRef'];
  readonly broken: readonly BrokenPrompt[];
} {
  const own = readPrompts(folders.slice(0, -1));
  const builtIn = indexPrompts(folders.slice(-1));
  return { byRef: { get: (ref) => own.byRef.get(ref) ?? builtIn.get(ref) }, broken: own.broken };
}

function readPrompt(path: string, ref: string): CheckedPrompt {
  return checkPrompt({ name: path, bytes: readBytes(path) }, ref);
}

/** One byte more than the limit is enough to refuse a file: a sparse file can be larger than the memory. */
function readBytes(path: string): Uint8Array {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(Math.min(fstatSync(file).size, MAX_SOURCE_BYTES + 1));
    return bytes.subarray(0, readSync(file, bytes));
  } finally {
    closeSync(file);
  }
}

export function hasPrompts(folders: readonly string[]): boolean {
  return promptPaths(folders).size > 0;
}

function promptPaths(folders: readonly string[]): ReadonlyMap<string, string> {
  const paths = new Map<string, string>();
  for (const folder of folders)
    for (const name of namesIn(folder)) {
      const ref = PROMPT_FILE.exec(name)?.[1];
      const path = join(folder, name);
      // Reading a link to a device or a pipe would never end.
      if (ref !== undefined && !paths.has(ref) && isFile(path)) paths.set(ref, path);
    }
  return paths;
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}
