import { posix } from 'node:path';
import type { PlanValidator, ValidationStep } from '../../../kernel/plan.ts';
import { formatCommand, quoteWord } from '../../../text/shell-words.ts';
import type { RunContext } from '../../run-context.ts';
import { resolveValidator } from './run-validators.ts';

type Words = readonly [string, ...string[]];

/** Interpreters by file extension, for scripts without a shebang. */
const INTERPRETERS: Readonly<Record<string, string>> = {
  '.sh': 'sh',
  '.py': 'python3',
  '.js': 'node',
  '.mjs': 'node',
  '.cjs': 'node',
};

/** For each validator of a step, the command that a user would type at the root of the workspace. */
export async function formatCommandLines(
  context: RunContext,
  step: ValidationStep,
  tree: string,
): Promise<Record<string, string>> {
  const lines: [string, string][] = [];
  for (const planned of step.validators) {
    const words = commandOfValidator(context, planned);
    if (words !== null) lines.push([planned.id, await formatTyped(context, planned, words, tree)]);
  }
  return Object.fromEntries(lines);
}

/** The words of a validator's command; null if it has none. Script paths are relative to the root. */
export function commandOfValidator({ deps, directory }: RunContext, planned: PlanValidator): Words | null {
  const validator = resolveValidator(deps.project, planned);
  if (validator === null) return null;
  if (validator.kind === 'command') return validator.command;
  const fill = (text: string) =>
    text
      .replaceAll('${run_id}', directory.runId)
      .replaceAll('${run_dir}', `.tnh/run/${directory.runId}`)
      .replaceAll('${worktree}', '.')
      .replaceAll('${repo}', deps.project.repoRoot);
  return [fill(validator.entrypoint), ...validator.args.map(fill)];
}

async function formatTyped(
  context: RunContext,
  planned: PlanValidator,
  words: Words,
  tree: string,
): Promise<string> {
  if (planned.kind !== 'script') return formatCommand(words);
  const [entrypoint, ...args] = words;
  const folder = posix.normalize((planned.cwd ?? '.').replaceAll('${worktree}', '.')).replace(/\/+$/, '');
  const isHere = folder === '.';
  if (!entrypoint.includes('/')) return inFolder(folder, formatCommand(words));
  const interpreter = await interpreterOf(context, posix.normalize(entrypoint), tree);
  // Entrypoints are relative to the root, even if the script runs in a subfolder.
  const path = isHere || entrypoint.startsWith('/') ? entrypoint : posix.relative(folder, entrypoint);
  return inFolder(folder, formatCommand([...(interpreter === null ? [] : [interpreter]), path, ...args]));
}

function inFolder(folder: string, line: string): string {
  return folder === '.' ? line : `cd ${quoteWord(folder)} && ${line}`;
}

/** The script may not be executable; with its interpreter, it starts in any case. */
async function interpreterOf(
  { deps, workspace }: RunContext,
  path: string,
  tree: string,
): Promise<string | null> {
  const byEnding = INTERPRETERS[posix.extname(path)] ?? null;
  if (path.startsWith('/') || path.startsWith('..') || path.startsWith('.tnh/run/')) return byEnding;
  const text = (await deps.workspace.readFiles(workspace, tree, [path])).get(path) ?? '';
  const [, named, viaEnv] = /^#!\s*(?:\S*\/)?([\w.-]+)(?:[ \t]+(?:-S[ \t]+)?([\w.-]+))?/.exec(text) ?? [];
  return (named === 'env' ? viaEnv : named) ?? byEnding;
}
