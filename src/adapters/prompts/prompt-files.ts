import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Prompt } from '../../contracts/prompt.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { checkPrompt } from '../../workflow/prompt-document.ts';

export interface PromptFiles {
  readonly byRef: ReadonlyMap<string, Prompt>;
  /** Files that are no prompts, with what is wrong with them. */
  readonly broken: readonly {
    readonly name: string;
    readonly text: string;
    readonly diagnostics: readonly Diagnostic[];
  }[];
}

/** Reads prompt folders, nearest first: a prompt found earlier hides a later one of the same reference. */
export async function readPrompts(folders: readonly string[]): Promise<PromptFiles> {
  const byRef = new Map<string, Prompt>();
  const broken: PromptFiles['broken'][number][] = [];
  for (const folder of folders) {
    const names = (await readdir(folder).catch((): string[] => [])).filter((name) =>
      /\.v\d+\.md$/.test(name),
    );
    for (const name of names.sort()) {
      const path = join(folder, name);
      const checked = checkPrompt({ name: path, bytes: await readFile(path) });
      if (checked.prompt === null) {
        broken.push({ name: path, text: checked.text, diagnostics: checked.diagnostics });
        continue;
      }
      if (!byRef.has(checked.prompt.ref)) byRef.set(checked.prompt.ref, checked.prompt);
    }
  }
  return { byRef, broken };
}
