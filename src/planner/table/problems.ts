import type * as z from 'zod';

/** One reason why a value doesn't match its schema. */
export interface Problem {
  /** Dotted from the top, such as `evidence.validation.exit_codes.tests`; empty for the whole value. */
  readonly path: string;
  readonly message: string;
}

export function toProblems(error: Pick<z.ZodError, 'issues'>): Problem[] {
  return error.issues.map((issue) => ({
    path: issue.path.map(String).join('.'),
    message: restate(issue.message),
  }));
}

/** Removes Zod's class-name prefix and lower-cases the message, to match this project's messages. */
function restate(message: string): string {
  const bare = message
    .replace(/^Invalid (?:input|option): /, '')
    .replace(/, received undefined$/, ', got nothing');
  return bare.slice(0, 1).toLowerCase() + bare.slice(1);
}
