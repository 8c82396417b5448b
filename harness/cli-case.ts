import { existsSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Attempt, addReference } from './attempt.ts';
import type { CliOptions, TextExpectation } from './case.ts';
import { type CaseContext, formatSeconds, parseTimeoutMs } from './case-context.ts';
import { type CommandEnd, startCommand, waitOrKill } from './command-process.ts';
import { toFileName } from './out-folder.ts';
import { findMismatches, quote } from './text-match.ts';

/** Runs a command and checks its exit, its output and its files. */
export async function runCliCase(
  context: CaseContext,
  id: string,
  options: CliOptions,
  attempt: Attempt,
): Promise<void> {
  if (options.command.length === 0) throw new Error('the command is empty');
  const cwd = resolve(context.cwd, options.cwd ?? '.');
  const timeoutMs = parseTimeoutMs(options.timeout);
  const started = startCommand({
    command: options.command,
    cwd,
    env: options.env ?? {},
    stdin: options.stdin ?? null,
  });
  const end = await waitOrKill(started, timeoutMs);
  const stdout = started.stdout();
  const stderr = started.stderr();
  for (const [name, bytes] of [
    ['stdout', stdout],
    ['stderr', stderr],
  ] as const) {
    if (bytes.length > 0)
      addReference(attempt, context.out.write('logs', `${toFileName(id)}.${name}.txt`, bytes));
  }
  const stderrText = stderr.toString('utf8');
  attempt.problems.push(
    ...describeEnd(end, options.exit ?? 0, timeoutMs, stderrText),
    ...(options.stdout === undefined
      ? []
      : findMismatches('standard output', stdout.toString('utf8'), options.stdout)),
    ...(options.stderr === undefined ? [] : findMismatches('standard error', stderrText, options.stderr)),
    ...Object.entries(options.files ?? {}).flatMap(([path, expected]) => fileProblems(cwd, path, expected)),
  );
  if (options.golden !== undefined && attempt.problems.length === 0)
    await context.goldens.compare(id, attempt, options.golden, stdout, {
      normalise: options.normalise,
    });
}

export function describeEnd(
  end: CommandEnd | { readonly kind: 'timeout' },
  expected: number,
  timeoutMs: number,
  stderr: string,
): string[] {
  switch (end.kind) {
    case 'exited': {
      if (end.code === expected) return [];
      const detail = stderr.trim() === '' ? '' : `; it said ${quote(stderr.trim())}`;
      return [`it exited with ${end.code} instead of ${expected}${detail}`];
    }
    case 'signalled':
      return [`it was killed by ${end.signal}`];
    case 'not_started':
      return [`it could not be started: ${end.message}`];
    case 'timeout':
      return [`timed out after ${formatSeconds(timeoutMs)}`];
  }
}

function fileProblems(cwd: string, path: string, expected: boolean | TextExpectation): string[] {
  const full = join(cwd, path);
  if (expected === false) return existsSync(full) ? [`${path} exists, but must not`] : [];
  if (!existsSync(full)) return [`${path} is not there`];
  if (expected === true) return [];
  if (!statSync(full).isFile()) return [`${path} is not a file`];
  return findMismatches(path, readFileSync(full, 'utf8'), expected);
}
