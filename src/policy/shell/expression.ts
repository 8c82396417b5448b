import { RE2JS } from 're2js';

/** A regular expression of a policy. It runs in linear time, while JavaScript's own may take exponential time. */
export interface Expression {
  readonly test: (text: string) => boolean;
}

/** Null if it isn't a valid regular expression, or can't be matched in linear time. */
export function compileExpression(body: string, flags: string): Expression | null {
  const options =
    (flags.includes('i') ? RE2JS.CASE_INSENSITIVE : 0) |
    (flags.includes('m') ? RE2JS.MULTILINE : 0) |
    (flags.includes('s') ? RE2JS.DOTALL : 0);
  try {
    return RE2JS.compile(RE2JS.translateRegExp(body), options);
  } catch {
    return null;
  }
}
