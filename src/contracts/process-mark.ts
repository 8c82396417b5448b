/** The environment variable by which a process, and all that it starts, is known as part of a run. */
export const MARK_VARIABLE = 'CONDUCTOR_MARK';

/**
 * The mark of git commands that work for a run. It lies apart from the marks of steps: whoever ends those must not
 * cut a git command in two. Below it stands the process that started the command.
 */
export function gitMarkOf(runId: string): string {
  return `git/${runId}`;
}
