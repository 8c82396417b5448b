import { execFileSync } from 'node:child_process';
import type { Deed, RepositoryKind } from '../e2e/checked-repository.ts';

/** What an ordinary engineer's agent does for a task. Nothing of it is a cheat. */
export interface HonestTask {
  /** The title of the run: what the user asked for. */
  readonly task: string;
  readonly deed: Deed;
  /** Why a gate opens: the codes of the blockers. Empty for a plain success. */
  readonly asks?: readonly string[];
  /** What the gate says. */
  readonly says?: string;
  /** `npm test` runs it, without a sandbox; `npm run honest` runs all of them in both ways. */
  readonly short?: true;
}

/** A repository with what `conductor init` gives, and the tasks that agents do in it. */
export interface HonestScene {
  /** Completes the sentence "in a repository …". */
  readonly name: string;
  /** What it needs and this machine does not have. */
  readonly missing?: string | null;
  /** The same in a sandbox, which hides home folders and the temporary folder. */
  readonly missingInSandbox?: string | null;
  readonly repository: Omit<RepositoryKind, 'sandbox' | 'workflow'>;
  readonly tasks: readonly HonestTask[];
}

export const json = (value: object) => `${JSON.stringify(value, null, 2)}\n`;

/** Whether a program is installed here. */
export function canRun(program: string, ...args: readonly string[]): boolean {
  return readOutput(program, ...args) !== null;
}

/** What a program prints; null if it is missing or fails. */
export function readOutput(program: string, ...args: readonly string[]): string | null {
  try {
    return execFileSync(program, [...args], { encoding: 'utf8', stdio: 'pipe' }).trim();
  } catch {
    return null;
  }
}
