import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { numberOfRuns } from '../../number-of-runs.ts';
import { checkLine } from './check-line.ts';
import { createMarkedBash } from './marked-bash.ts';

/** More of them find more; this many are quick. */
const LINES = numberOfRuns(150);
const SEED = 11;

const bash = createMarkedBash();
afterAll(() => bash.remove());

const SIMPLE = [
  'mark',
  'mark x',
  "m''ark",
  '\\mark',
  "$'\\x6dark'",
  'ma\\\nrk',
  'x=1 mark',
  '>o mark',
  '2>&1 mark',
  'command mark',
  'exec mark',
  'eval mark',
  'x=mark; $x',
  'echo mark',
  "echo 'mark'",
  'echo "mark" # mark',
  'echo a\\\n b',
  'echo $x "${x}" ${x:-mark}',
  'echo $((1 + 1))',
  'x=(a mark)',
  'true',
  'read x <<< mark',
  'read x <<< mark; $x',
  '$(echo mark)',
  '"$(printf mark)"',
  'f() { "$@"; }; f mark',
  'set -- mark; "$@"',
  'x=(mark x); "${x[@]}"',
  'for x in a mark; do $x; done',
  ': ${y:=mark}; $y',
  'x=ma; x+=rk; $x',
  'trap mark EXIT',
  'y=$x; $y',
  'eval "$x"',
  'x=mar; ${x}k',
  'x=mark.; ${x%.}',
  '{mark,x}',
];

const COMPOUND: readonly ((left: string, right: string) => string)[] = [
  (left, right) => `${left} && ${right}`,
  (left, right) => `${left} || ${right}`,
  (left, right) => `${left};${right}`,
  (left, right) => `${left}\n${right}`,
  (left, right) => `${left} | ${right}`,
  (left, right) => `${left} & ${right}`,
  (left) => `(${left})`,
  (left) => `{ ${left}; } > o`,
  (left) => `! ${left}`,
  (left, right) => `if ${left}; then ${right}; fi`,
  (left, right) => `for x in ${right}; do ${left}; done`,
  (left, right) => `case a in b) ${right} ;; (a) ${left} ;; esac`,
  // Bodies inside of bodies are shorter, so that no function calls itself.
  (left, right) => `f${left.length}() { ${left}; }; ${right}; f${left.length}`,
  (left, right) => `function f${left.length} { ${left}; }; ${right}; f${left.length}`,
  (left) => `echo $(${left})`,
  (left) => `echo "$(${left})"`,
  (left) => `echo \`${left}\``,
  (left) => `echo "${left}"`,
  (left) => `echo '${left}'`,
  (left, right) => `read x <<E\n${left}\nE\n${right}`,
  (left, right) => `read x <<'E'\n${left}\nE\n${right}`,
  (left, right) => `read x <<-E; ${right}\n\t${left}\n\tE\n`,
  (left) => `[[ a < b && -n x ]] && ${left}`,
  (left) => `read x < <(${left})`,
  (left, right) => `${left} # ${right}`,
  (left) => `time ${left}`,
  (left) => `x=$(${left})`,
  (left) => `echo \${x:-$(${left})}`,
];

const { statement } = fc.letrec<{ statement: string }>((tie) => ({
  statement: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom(...SIMPLE),
    fc
      .tuple(fc.constantFrom(...COMPOUND), tie('statement'), tie('statement'))
      .map(([join, left, right]) => join(left, right)),
  ),
}));

/** Insertions that could mislead the parser. */
const STRAY = [
  ' ',
  '\n',
  ';',
  '&',
  '|',
  "'",
  '"',
  '\\',
  '`',
  '#',
  '(',
  ')',
  '{',
  '}',
  '$',
  '<<E',
  '\nE\n',
  '=',
  '!',
  '*',
  '[[ ',
  ' # ',
  ']]&&',
  'x=(',
  'x[1 ',
  'FOO=1 ',
  '\\\n',
  ' ]]',
  ';;',
  '))',
  'esac',
  'fi',
  'mark',
];

const line = fc
  .tuple(
    statement,
    fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.constantFrom(...STRAY)), {
      maxLength: 2,
    }),
  )
  .map(([text, strays]) =>
    strays.reduce((whole, [where, stray]) => {
      const at = Math.floor(where * whole.length);
      return whole.slice(0, at) + stray + whole.slice(at);
    }, text),
  );

describe('a line in which a denied program hides', () => {
  it('is refused whenever bash would start that program', () => {
    const lines = fc.sample(line, { numRuns: LINES, seed: SEED });
    const ran = bash.startsMark(lines);
    expect(ran).toHaveLength(lines.length);
    expect(ran.filter(Boolean).length).toBeGreaterThan(LINES / 10);
    const missed = lines.filter(
      (text, index) => ran[index] && checkLine({ commands: { deny: ['mark'] } }, text).length === 0,
    );
    expect(missed).toEqual([]);
  }, 60_000);
});
