import type { EmitSettings, Programs } from '../../ports/work/scope-sources.ts';
import type { Proof } from '../../work/scope/classify-scope.ts';
import { notProved } from '../../work/scope/classify-scope.ts';
import type { ProgramPair } from '../../work/scope/proofs/prove-equivalence.ts';
import { type ParseAnswer, type ParseTask, parseAll } from './parser-process.ts';

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
function readDirectives(text: string, comments: readonly Comment[]): readonly string[] {
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

type Side = 'before' | 'after';
type Version = Pick<ParseTask, 'lang' | 'sourceType' | 'emit'>;

/** Compares the programs that JavaScript files contain or TypeScript files compile to. */
export function createPrograms(): Programs {
  return {
    compare: async (pairs, settings) => {
      const plans = pairs.map((pair) => ({ pair, versions: versionsOf(pair.path, settings) }));
      const answers = await parseAll(
        plans.flatMap(({ pair, versions }) =>
          versions.flatMap((version) => [taskOf(pair, 'before', version), taskOf(pair, 'after', version)]),
        ),
      );
      let next = 0;
      return plans.map(({ pair, versions }) => {
        const own = versions.map(() => {
          next += 2;
          return { before: answers[next - 2] ?? NO_ANSWER, after: answers[next - 1] ?? NO_ANSWER };
        });
        return isTyped(pair.path) ? compareTyped(pair, own, settings) : comparePlain(pair, own);
      });
    },
  };
}

interface Parsed {
  readonly before: ParseAnswer;
  readonly after: ParseAnswer;
}

const NO_ANSWER: ParseAnswer = { ok: false, reason: 'the parser did not answer' };

function isTyped(path: string): boolean {
  return /\.(?:[cm]?ts|tsx)$/.test(path);
}

/** JavaScript may be a module or not, and some source texts have a different meaning in each. */
function versionsOf(path: string, { keepsImports }: EmitSettings): readonly Version[] {
  const plain = { emit: null } as const;
  if (path.endsWith('.mjs')) return [{ lang: 'jsx', sourceType: 'module', ...plain }];
  if (path.endsWith('.cjs')) return [{ lang: 'jsx', sourceType: 'commonjs', ...plain }];
  if (!isTyped(path))
    return [
      { lang: 'jsx', sourceType: 'module', ...plain },
      { lang: 'jsx', sourceType: 'commonjs', ...plain },
    ];
  const isDeclaration = /\.d\.(?:[^./]+\.)?[cm]?ts$/.test(path);
  const lang = isDeclaration ? 'dts' : path.endsWith('.tsx') ? 'tsx' : 'ts';
  const written: Version = { lang, sourceType: 'module', ...plain };
  // Whether an import that only JSX uses is kept depends on how JSX is compiled.
  const keeps = keepsImports || lang === 'tsx';
  return isDeclaration ? [written] : [written, { ...written, emit: { keepsImports: keeps } }];
}

function taskOf(pair: ProgramPair, side: Side, version: Version): ParseTask {
  return { name: pair.path.slice(pair.path.lastIndexOf('/') + 1), text: pair[side], ...version };
}

function comparePlain(pair: ProgramPair, versions: readonly Parsed[]): Proof {
  const readable = versions.filter(({ before }) => before.ok);
  const first = readable[0];
  if (first === undefined) return unreadable(versions[0]?.before ?? NO_ANSWER);
  for (const { before, after } of readable) {
    if (!before.ok || !after.ok) return unreadable(after);
    if (before.tree !== after.tree) return notProved('the program changed');
  }
  return compareComments(pair, first, 'only comments and white space changed');
}

function compareTyped(
  pair: ProgramPair,
  [written, emitted]: readonly Parsed[],
  settings: EmitSettings,
): Proof {
  const { before, after } = written ?? { before: NO_ANSWER, after: NO_ANSWER };
  if (!before.ok || !after.ok) return unreadable(before.ok ? after : before);
  if (before.tree === after.tree)
    return compareComments(pair, { before, after }, 'only comments and white space changed');
  if (settings.emitsTypes || before.decorated || after.decorated)
    return notProved('types changed where they may be emitted with decorators');
  if (before.constEnums.join('\n') !== after.constEnums.join('\n'))
    return notProved('an enum changed whose values are put where they are used');
  if (emitted === undefined)
    return compareComments(pair, { before, after }, 'a file of declarations emits no program');
  if (!emitted.before.ok || !emitted.after.ok)
    return unreadable(emitted.before.ok ? emitted.after : emitted.before);
  if (emitted.before.tree !== emitted.after.tree) return notProved('the emitted program changed');
  return compareComments(pair, { before, after }, 'only types changed: the emitted program is the same');
}

function compareComments(pair: ProgramPair, { before, after }: Parsed, reason: string): Proof {
  if (!before.ok || !after.ok) return unreadable(before);
  const old = readDirectives(pair.before, before.comments);
  const now = readDirectives(pair.after, after.comments);
  const same = old.length === now.length && old.every((each, index) => each === now[index]);
  return same ? { proved: true, reason } : notProved('a comment changed that a tool obeys');
}

function unreadable(answer: ParseAnswer): Proof {
  return notProved(answer.ok ? 'the program changed' : `it can't be parsed: ${answer.reason}`);
}
