import type * as z from 'zod';

/** One reason why a value does not fit its schema. */
export interface Problem {
  /** Dotted from the top, such as `evidence.validation.exit_codes.tests`; empty for the whole value. */
  readonly path: string;
  readonly message: string;
}

export function problemsOf(error: Pick<z.ZodError, 'issues'>): Problem[] {
  return error.issues.map((issue) => ({
    path: issue.path.map(String).join('.'),
    message: restate(issue.message),
  }));
}

/** Zod starts its messages with a capital and a class name; ours stand alone in lower case. */
function restate(message: string): string {
  const bare = message
    .replace(/^Invalid (?:input|option): /, '')
    .replace(/, received undefined$/, ', got nothing');
  return bare.slice(0, 1).toLowerCase() + bare.slice(1);
}
