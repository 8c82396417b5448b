import { cpSync, existsSync, lstatSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { describeEnd } from '../cli-case.ts';
import { startCommand, waitOrKill } from '../command-process.ts';
import type { Example } from './markdown-page.ts';

/** The program that runs examples of a language, and the extension of their file. */
const LANGUAGES: Readonly<Record<string, { readonly program: readonly string[]; readonly ending: string }>> =
  {
    sh: { program: ['sh', '-e'], ending: 'sh' },
    shell: { program: ['sh', '-e'], ending: 'sh' },
    bash: { program: ['bash', '-e'], ending: 'sh' },
    js: { program: ['node'], ending: 'mjs' },
    mjs: { program: ['node'], ending: 'mjs' },
    javascript: { program: ['node'], ending: 'mjs' },
    cjs: { program: ['node'], ending: 'cjs' },
    py: { program: ['python3'], ending: 'py' },
    python: { program: ['python3'], ending: 'py' },
  };

export const EXAMPLE_LANGUAGES = Object.keys(LANGUAGES);

/** Examples need neither the history nor the records of runs; packages are linked. */
const EXCLUDED = ['.git', '.tnh', 'node_modules'];

/** Sockets and pipes of running programs aren't part of a repository. */
function canBeCopied(path: string): boolean {
  const found = lstatSync(path);
  return found.isFile() || found.isDirectory() || found.isSymbolicLink();
}

export interface ExampleRunner {
  readonly run: (path: string, example: Example, timeoutMs: number) => Promise<string[]>;
  readonly close: () => void;
}

/** Runs examples in a copy of the repository, one after the other: each can read the files of the earlier ones. */
export function createExampleRunner(root: string, env: Readonly<Record<string, string>>): ExampleRunner {
  const folder = mkdtempSync(join(tmpdir(), 'conductor-docs-'));
  cpSync(root, folder, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (source) => !EXCLUDED.includes(relative(root, source)) && canBeCopied(source),
  });
  const packages = join(root, 'node_modules');
  if (existsSync(packages)) symlinkSync(packages, join(folder, 'node_modules'));
  return {
    run: async (path, { language, code, line }, timeoutMs) => {
      const runtime = LANGUAGES[language];
      if (runtime === undefined) return [];
      const file = join(folder, `.example-${line}.${runtime.ending}`);
      writeFileSync(file, `${code}\n`);
      const started = startCommand({ command: [...runtime.program, file], cwd: folder, env, stdin: null });
      const end = await waitOrKill(started, timeoutMs);
      rmSync(file, { force: true });
      const stderr = started.stderr().toString('utf8');
      return describeEnd(end, 0, timeoutMs, stderr).map(
        (problem) => `${path}:${line}: the example: ${problem}`,
      );
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}
