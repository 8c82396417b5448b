import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface WritingBash {
  /** For each line, the workspace it ran in and whether bash wrote a file outside of that. */
  readonly run: (lines: readonly string[]) => { readonly workspace: string; readonly escaped: boolean }[];
  readonly remove: () => void;
}

/** They only read, or create files. */
const PROGRAMS = [
  'touch',
  'xargs',
  'find',
  'ls',
  'cat',
  'dirname',
  'basename',
  'sort',
  'head',
  'mktemp',
  'sh',
  'env',
];

/** The line is no argument, or it could run itself by `$@`. */
const SCRIPT = `(HOME=$PWD/../home; export HOME; eval "$LINE"; wait) > /dev/null 2>&1 < /dev/null; true`;

/** Deep enough that no line leaves the folder that it was given. */
const WORKSPACE = 'a/b/c/d/repo';

export function createWritingBash(): WritingBash {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'conductor-filter-')));
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  for (const name of PROGRAMS)
    symlinkSync(
      execFileSync('/bin/sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim(),
      join(bin, name),
    );
  return {
    run: (lines) =>
      lines.map((line, index) => {
        const own = join(folder, String(index));
        const workspace = join(own, WORKSPACE);
        for (const inside of ['src/lib', '../home']) mkdirSync(join(workspace, inside), { recursive: true });
        writeFileSync(join(workspace, 'src', 'x.ts'), '');
        const env = { PATH: bin, TMPDIR: join(workspace, 'src'), FUNCNEST: '8', LINE: line };
        execFileSync('/bin/bash', ['--noprofile', '--norc', '-c', SCRIPT], { cwd: workspace, env });
        return { workspace, escaped: filesIn(own, workspace) > 0 };
      }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function filesIn(folder: string, besides: string): number {
  return readdirSync(folder, { withFileTypes: true }).reduce((count, entry) => {
    const path = join(folder, entry.name);
    if (path === besides) return count;
    return count + (entry.isDirectory() ? filesIn(path, besides) : 1);
  }, 0);
}
