/**
 * Comments that a compiler, a bundler or a test runner acts on. Those for linters and type checkers are not
 * included.
 */
const DIRECTIVE =
  /^[#@]\s*source(?:MappingURL|URL)\s*=|[@#]__[A-Z_]+__|\bwebpack[A-Z]\w*\s*:|\bturbopack\w*\s*:|@vite-ignore|@jsx(?:Frag|Runtime|ImportSource)?\b|^\/\s*<|@(?:jest|vitest)-|@ngInject\b|@refresh\b|@babel\b/;

interface Comment {
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

/**
 * The directive comments, each preceded by the code since the previous one, because such a comment depends on
 * its position. Empty if there are none.
 */
export function obeyedComments(text: string, comments: readonly Comment[]): readonly string[] {
  const found: string[] = [];
  let code = '';
  let at = 0;
  for (const { value, start, end } of comments) {
    code += text.slice(at, start);
    at = end;
    if (!DIRECTIVE.test(value)) continue;
    found.push(code.replace(/\s+/g, ''), value.trim());
    code = '';
  }
  return found;
}
