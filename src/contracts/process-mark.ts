/** The environment variable by which a process, and all that it starts, is known as part of a run. */
export const MARK_VARIABLE = 'CONDUCTOR_MARK';

/** The marks of the steps around, one on each line, where an agent has started a conductor of its own. */
export const OUTER_MARKS_VARIABLE = 'CONDUCTOR_OUTER_MARKS';

/** What a conductor with this environment passes on, so that whoever ends the step around finds what it starts too. */
export function outerMarksOf(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const marks = [env[OUTER_MARKS_VARIABLE], env[MARK_VARIABLE]].filter((mark) => mark !== undefined);
  return marks.length === 0 ? {} : { [OUTER_MARKS_VARIABLE]: marks.join('\n') };
}

/**
 * The mark of git commands that work for a run. It lies apart from the marks of steps: whoever ends those must not
 * cut a git command in two. Below it stands the process that started the command.
 */
export function gitMarkOf(runId: string): string {
  return `git/${runId}`;
}
