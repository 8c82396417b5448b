import { posix } from 'node:path';
import type { BaselineRecord, BaselineValidator } from '../../../contracts/run/baseline.ts';
import type { PlanValidator } from '../../../kernel/plan.ts';
import { type ComparedReport, countBaseline, readComparedReport } from '../../../reports/compare-cases.ts';

/** Exit codes of a shell for a program that can't be executed or found. */
export const CANNOT_START: readonly number[] = [126, 127];
export const UNABLE = "the checks can't run in this environment";

/** Programs whose first argument may be the script that a validator runs. */
const INTERPRETERS = ['node', 'python3', 'python', 'bash', 'sh', 'ruby', 'deno', 'bun'];
const RUN_DIRECTORY = /^(?:\$\{run_dir\}(?:\/|$)|(?:\.\/|\$\{worktree\}\/)?\.tnh\/run\/)/;

/** Whether a validator's script exists at the base: known from its command line, or to be checked as a file. */
export type ScriptAtBase =
  | { readonly kind: 'present' }
  /** The script is in the run directory, and an agent has yet to write it. */
  | { readonly kind: 'absent' }
  | { readonly kind: 'file'; readonly path: string };

export function findScript(planned: PlanValidator): ScriptAtBase {
  if (planned.kind === 'named') return { kind: 'present' };
  const { entrypoint, args, cwd } = planned;
  // Entrypoints are relative to the checkout, arguments to `cwd`.
  if (entrypoint.includes('/')) return locate(entrypoint, null);
  // After an option, the next argument may be code or a module name: `sh -c …`, `python3 -m …`.
  const [first = '-'] = args;
  if (INTERPRETERS.includes(entrypoint) && !first.startsWith('-') && /[./]/.test(first))
    return locate(first, cwd);
  return args.some((word) => RUN_DIRECTORY.test(word)) ? { kind: 'absent' } : { kind: 'present' };
}

function locate(path: string, cwd: string | null): ScriptAtBase {
  if (RUN_DIRECTORY.test(path)) return { kind: 'absent' };
  if (path.startsWith('/') || path.startsWith('${repo}')) return { kind: 'present' };
  const isFromTop = cwd === null || path.startsWith('${worktree}/');
  if (!isFromTop && RUN_DIRECTORY.test(cwd)) return { kind: 'absent' };
  const joined = isFromTop ? path : posix.join(cwd, path);
  return { kind: 'file', path: posix.normalize(joined.replace(/^\$\{worktree\}\//, '')) };
}

/** Whether nothing passes at the base, neither by exit code nor by a report. */
export function hasNoPass(validators: readonly BaselineValidator[]): boolean {
  const ran = validators.filter((entry) => entry.ran);
  const cases = countCases(validators);
  return (
    ran.length > 0 && ran.every(({ exit_code }) => exit_code !== 0) && (cases === null || cases.passing === 0)
  );
}

export interface BaselineFacts {
  /** The `setup` section to add, if the repository has dependencies but no setup and nothing passes. */
  readonly advice: string | null;
  /** In a sandbox, a program that crashes yields an exit code; a signal means that the sandbox itself was killed. */
  readonly isSandboxed: boolean;
}

/** Derives the outcome of a baseline from the results of its validators. */
export function decideBaseline(
  validators: readonly BaselineValidator[],
  { advice, isSandboxed }: BaselineFacts,
): Pick<BaselineRecord, 'outcome' | 'cases' | 'reason'> {
  const cases = countCases(validators);
  const ran = validators.filter((entry) => entry.ran);
  const unable = ran.filter((entry) => cannotRun(entry, isSandboxed));
  if (unable.length > 0 || advice !== null) {
    const shown = (unable.length > 0 ? unable : ran).map(({ id, reason, output }) =>
      `${id}: ${reason ?? 'it failed'}\n${output}`.trimEnd(),
    );
    const reason = [UNABLE, ...shown, ...(advice === null ? [] : [advice])].join('\n\n');
    return { outcome: 'unable', cases, reason };
  }
  const isGreen = ran.every(({ outcome }) => outcome === 'completed');
  return { outcome: isGreen ? 'green' : 'red', cases, reason: null };
}

function countCases(validators: readonly BaselineValidator[]): BaselineRecord['cases'] {
  const reports = new Map<string, ComparedReport>();
  for (const { key, report } of validators) {
    const readable = readComparedReport(report);
    if (readable !== null) reports.set(key, readable);
  }
  return countBaseline(reports);
}

/** Not found, not executable, or stopped by its sandbox. A validator that times out or crashes at the base is red. */
export function cannotRun(entry: BaselineValidator, isSandboxed: boolean): boolean {
  const { outcome, exit_code, signal } = entry;
  if (signal !== null && !isSandboxed) return false;
  if (exit_code !== null) return CANNOT_START.includes(exit_code) || lacksProgram(entry);
  return outcome === 'error' || outcome === 'killed_policy';
}

/** Output of launchers (make, npm, python) when a program is missing. Their exit code only shows a failure. */
const MISSING_PROGRAM: readonly RegExp[] = [
  /^\S*make(?:\[\d+\])?: \*\*\* .*\bError 12[67]$/m,
  /^\S*python[\d.]*(?:\.exe)?: No module named \S+$/m,
  /^npm (?:error|ERR!) could not determine executable to run$/m,
  /^error: no such command: `/m,
];

function lacksProgram(entry: BaselineValidator): boolean {
  const passing = countCases([entry])?.passing ?? 0;
  return (
    entry.outcome === 'error' &&
    passing === 0 &&
    MISSING_PROGRAM.some((pattern) => pattern.test(entry.output))
  );
}
