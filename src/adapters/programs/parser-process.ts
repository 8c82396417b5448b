import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

/** One text to parse, optionally after its types were removed. */
export interface ParseTask {
  readonly name: string;
  readonly text: string;
  readonly lang: 'jsx' | 'ts' | 'tsx' | 'dts';
  readonly sourceType: 'module' | 'commonjs';
  /** Null parses the text as it is. */
  readonly emit: { readonly keepsImports: boolean } | null;
}

export type ParseAnswer =
  | {
      readonly ok: true;
      /** The syntax tree without positions, as JSON. */
      readonly tree: string;
      readonly comments: readonly { readonly value: string; readonly start: number; readonly end: number }[];
      readonly decorated: boolean;
      readonly constEnums: readonly string[];
    }
  | { readonly ok: false; readonly reason: string };

const PARSE_TIMEOUT_MS = 30_000;

/**
 * The parser runs in its own process: it is native code whose stack overflows on deep nesting, and a patch
 * must not be able to crash conductor.
 */
const PARSER_SCRIPT = `
const [transformUrl, parserUrl] = process.argv.slice(-2);
const { transformSync } = await import(transformUrl);
const { parseSync } = await import(parserUrl);
let input = '';
for await (const chunk of process.stdin.setEncoding('utf8')) input += chunk;
const isError = ({ severity }) => severity === 'Error';
const failureOf = (errors) => ({ ok: false, reason: errors.find(isError).message });
// Compilers of JSX leave out comments between tags, and white space around the ends of lines.
const linesOf = (raw) => raw.split(/\\r\\n|\\r|\\n/);
const textOf = (raw) =>
  linesOf(raw)
    .map((line, index) => (index === 0 ? line : line.replace(/^[ \\t]+/, '')))
    .map((line, index, { length }) => (index === length - 1 ? line : line.replace(/[ \\t]+$/, '')))
    .filter((line) => line !== '')
    .join(' ');
const childOf = (child) => {
  if (child.type === 'JSXExpressionContainer' && child.expression.type === 'JSXEmptyExpression') return [];
  if (child.type !== 'JSXText') return [child];
  const text = textOf(child.raw);
  return text === '' ? [] : [{ type: 'JSXText', text }];
};
for (const { name, text, lang, sourceType, emit } of JSON.parse(input)) {
  const answer = (() => {
    let code = text;
    let parsedAs = lang;
    if (emit !== null) {
      const typescript = { onlyRemoveTypeImports: emit.keepsImports };
      const emitted = transformSync(name, text, { lang, sourceType, target: 'esnext', jsx: 'preserve', typescript });
      if (emitted.errors.some(isError)) return failureOf(emitted.errors);
      code = emitted.code;
      parsedAs = 'jsx';
    }
    const parsed = parseSync(name, code, { lang: parsedAs, sourceType, preserveParens: false, showSemanticErrors: true });
    if (parsed.errors.some(isError)) return failureOf(parsed.errors);
    let decorated = false;
    const constEnums = [];
    const bare = (key, value) => (key === 'start' || key === 'end' ? undefined : typeof value === 'bigint' ? String(value) : value);
    const tree = JSON.stringify(parsed.program, function (key, value) {
      if (key === 'start' || key === 'end' || key === 'range') return undefined;
      if (key === 'raw' && this.type === 'Literal') return undefined;
      if (typeof value === 'bigint') return String(value);
      if (typeof value === 'number' && !Number.isFinite(value)) return 'Infinity';
      if (value?.type === 'Decorator') decorated = true;
      if (value?.type === 'TSEnumDeclaration' && value.const) constEnums.push(JSON.stringify(value, bare));
      if ((key === 'body' || key === 'consequent') && Array.isArray(value))
        return value.filter(({ type }) => type !== 'EmptyStatement');
      if (key === 'children' && (this.type === 'JSXElement' || this.type === 'JSXFragment')) return value.flatMap(childOf);
      return value;
    });
    const comments = parsed.comments.map(({ value, start, end }) => ({ value, start, end }));
    return { ok: true, tree, comments, decorated, constEnums };
  })();
  process.stdout.write(JSON.stringify(answer) + '\\n');
}
`;

/**
 * Answers each task in order. If a task crashes the parser, its answer says so, and the other tasks continue.
 */
export async function parseAll(tasks: readonly ParseTask[]): Promise<readonly ParseAnswer[]> {
  const answers: ParseAnswer[] = [];
  while (answers.length < tasks.length) {
    const { lines, ended } = await runParser(tasks.slice(answers.length));
    for (const line of lines) answers.push(JSON.parse(line) as ParseAnswer);
    if (answers.length < tasks.length) answers.push({ ok: false, reason: ended });
  }
  return answers;
}

interface ParserEnd {
  readonly lines: readonly string[];
  readonly ended: string;
}

function runParser(tasks: readonly ParseTask[]): Promise<ParserEnd> {
  const require = createRequire(import.meta.url);
  const modules = [require.resolve('oxc-transform'), require.resolve('oxc-parser')].map((path) =>
    String(pathToFileURL(path)),
  );
  const child = spawn(process.execPath, ['--input-type=module', '--eval', PARSER_SCRIPT, '--', ...modules], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: {},
  });
  const chunks: Buffer[] = [];
  return new Promise((resolve, reject) => {
    let isLate = false;
    const limit = setTimeout(() => {
      isLate = true;
      child.kill('SIGKILL');
    }, PARSE_TIMEOUT_MS);
    child.stdout.on('data', (chunk: Buffer) => void chunks.push(chunk));
    // A parser that fails closes its input; the exit explains more than the broken pipe.
    child.stdin.on('error', () => undefined);
    child.stdin.end(JSON.stringify(tasks));
    child.on('error', (error) => {
      clearTimeout(limit);
      reject(error);
    });
    child.on('close', () => {
      clearTimeout(limit);
      const lines = Buffer.concat(chunks).toString('utf8').split('\n').slice(0, -1);
      resolve({ lines, ended: isLate ? 'the parser took too long' : 'the parser gave up on it' });
    });
  });
}
