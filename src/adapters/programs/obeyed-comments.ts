/** Comments that a compiler, a bundler or a runner acts upon. Those for linters and for types are not among them. */
const OBEYED =
  /^[#@]\s*source(?:MappingURL|URL)\s*=|[@#]__[A-Z_]+__|\bwebpack[A-Z]\w*\s*:|\bturbopack\w*\s*:|@vite-ignore|@jsx(?:Frag|Runtime|ImportSource)?\b|^\/\s*<|@(?:jest|vitest)-|@ngInject\b|@refresh\b|@babel\b/;

interface Comment {
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

/**
 * What is obeyed, each with the code since the one before it: such a comment counts by its place. Empty where nothing is.
 */
export function obeyedComments(text: string, comments: readonly Comment[]): readonly string[] {
  const found: string[] = [];
  let code = '';
  let at = 0;
  for (const { value, start, end } of comments) {
    code += text.slice(at, start);
    at = end;
    if (!OBEYED.test(value)) continue;
    found.push(code.replace(/\s+/g, ''), value.trim());
    code = '';
  }
  return found;
}
