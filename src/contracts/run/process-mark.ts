/** The environment variable that marks a process and its descendants as part of a run. */
export const MARK_VARIABLE = 'CONDUCTOR_MARK';

/** The marks of the enclosing steps, one per line, if an agent started conductor itself. */
export const OUTER_MARKS_VARIABLE = 'CONDUCTOR_OUTER_MARKS';

/** The variables that a nested conductor passes on, so that stopping an enclosing step also finds its processes. */
export function outerMarksOf(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const marks = [env[OUTER_MARKS_VARIABLE], env[MARK_VARIABLE]].filter((mark) => mark !== undefined);
  return marks.length === 0 ? {} : { [OUTER_MARKS_VARIABLE]: marks.join('\n') };
}

/**
 * The mark of git commands that belong to a run. It differs from the marks of steps, so that stopping a step never
 * kills a git command halfway. The process that started the command is appended to it.
 */
export function gitMarkOf(runId: string): string {
  return `git/${runId}`;
}
