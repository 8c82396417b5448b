import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Prompt } from '../../contracts/prompt.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { checkPrompt } from '../../workflow/prompt-document.ts';

const PROMPT_FILE = /^(.+\.v\d+)\.md$/;

/** Prompts by reference, each read when it is asked for: checking a workflow needs only those it names. */
export interface PromptIndex {
  readonly keys: () => IterableIterator<string>;
  /** Undefined when there is none, or its file is no prompt. */
  readonly get: (ref: string) => Prompt | undefined;
}

export interface BrokenPrompt {
  readonly name: string;
  readonly problem: string;
  readonly text: string;
  readonly diagnostics: readonly Diagnostic[];
}

/** Looks through prompt folders, nearest first: an earlier prompt hides a later one of the same reference. */
export function indexPrompts(folders: readonly string[]): PromptIndex {
  const paths = promptPaths(folders);
  const read = new Map<string, Prompt | undefined>();
  return {
    keys: () => paths.keys(),
    get: (ref) => {
      const path = paths.get(ref);
      if (path === undefined) return undefined;
      if (!read.has(ref)) read.set(ref, readPrompt(path, ref).prompt ?? undefined);
      return read.get(ref);
    },
  };
}

/** Reads all of them, and says which files are no prompts. */
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

function readPrompt(path: string, ref: string) {
  return checkPrompt({ name: path, bytes: readFileSync(path) }, ref);
}

function promptPaths(folders: readonly string[]): ReadonlyMap<string, string> {
  const paths = new Map<string, string>();
  for (const folder of folders)
    for (const name of namesIn(folder)) {
      const ref = PROMPT_FILE.exec(name)?.[1];
      if (ref !== undefined && !paths.has(ref)) paths.set(ref, join(folder, name));
    }
  return paths;
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}
