import { RE2JS } from 're2js';

/** An expression of a policy. It takes time in proportion to the text, where JavaScript's own may take it exponentially. */
export interface Expression {
  readonly test: (text: string) => boolean;
}

/** Null if it is no regular expression, or one that can't be matched in linear time. */
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
