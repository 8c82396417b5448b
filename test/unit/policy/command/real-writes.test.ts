import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { numberOfRuns } from '../../number-of-runs.ts';
import { checkLine } from './check-line.ts';
import { createWritingBash } from './writing-bash.ts';

const LINES = numberOfRuns(60);
const SEED = 7;

const bash = createWritingBash();
afterAll(() => bash.remove());

const VALUE = fc.constantFrom(
  'a',
  'src',
  'src/b',
  '..',
  '../a',
  './../a',
  'src/../../a',
  "'a ../b'",
  '"../a"',
  '"\'../a\'"',
  "'..\\/a'",
  "$'a\\n../b'",
  '../*',
  '*',
  '""',
  '$x',
  '"$x"',
  '$y/a',
  '$1',
  '"$@"',
  '$PWD',
  '$OLDPWD',
  '$RANDOM',
  '$HOME/a',
  '~/a',
  '${x:-../a}',
  '${x:=../a}',
  '${x%/*}',
  '${x##*/}',
  '${x#../}',
  '../$x',
  '$(echo ../a)',
  '"$(printf "%s\\n" a ../b)"',
  '$(dirname $x)',
  '$(basename "$x")',
  '$(pwd)/..',
  '{a,../b}',
  '$((1 + 1))',
);

const SIMPLE: readonly ((left: string, right: string) => string)[] = [
  (left) => `touch ${left}`,
  (left) => `touch "$x" ${left}`,
  () => 'touch $x',
  () => 'touch $x/a',
  () => 'touch "$y"',
  () => 'touch a',
  () => 'touch ../a',
  (left) => `echo x > ${left}`,
  (left) => `x=${left}`,
  (left) => `y=${left}`,
  (left) => `x+=${left}`,
  (left) => `export x=${left}`,
  (left) => `x=${left} touch $x`,
  (left, right) => `x=(${left} ${right}); touch "\${x[@]}"`,
  (left) => `PWD=${left}`,
  (left) => `cd ${left}`,
  () => 'cd src',
  () => 'cd ..',
  () => 'cd -',
  (left) => `pushd ${left}`,
  () => 'popd',
  (left, right) => `set -- ${left} ${right}`,
  () => 'shift',
  () => 'unset x',
  (left) => `: ${left}`,
  (left) => `echo ${left} | xargs touch`,
  (left) => `echo ${left} | xargs -I% touch src/%`,
  (left, right) => `printf '%s\\n' ${left} ${right} | xargs touch`,
  (left) => `echo ${left} | while read f; do touch "$f"; done`,
  (left) => `echo ${left} | while read -r f; do touch "$f"; done`,
  (left) => `while read -r f; do touch "$f"; done <<< ${left}`,
  (left) => `read x <<< ${left}`,
  (left) => `cat <<E | xargs touch\n${left}\nE`,
  (left, right) => `for x in ${left} ${right}; do touch $x; done`,
  (left) => `f() { touch "$1"; }; f ${left}`,
  (left) => `f() { cd ${left}; }; f; touch a`,
  (left) => `eval "touch ${left.replaceAll('"', '')}"`,
  (left) => `sh -c 'touch "$1"' _ ${left}`,
  (left) => `sh -c "touch ${left.replaceAll('"', '')}"`,
  (left) => `find . -maxdepth 1 -name ${left} -exec touch {} \\;`,
  (left) => `find ${left} -maxdepth 0 -exec touch {}/z \\;`,
  (left) => `ls ${left} | xargs touch`,
  (left) => `mktemp -p ${left}`,
  (left) => `mktemp ${left}XXXXXX`,
  (left) => `env -C ${left} touch a`,
  () => 'true',
  () => 'false',
];

const COMPOUND: readonly ((left: string, right: string) => string)[] = [
  (left, right) => `${left} && ${right}`,
  (left, right) => `${left} || ${right}`,
  (left, right) => `${left}; ${right}`,
  (left, right) => `${left}; ${right}`,
  (left, right) => `${left}\n${right}`,
  (left, right) => `${left} | ${right}`,
  (left) => `(${left})`,
  (left) => `{ ${left}; }`,
  (left) => `! ${left}`,
  (left, right) => `if ${left}; then ${right}; fi`,
  (left, right) => `if ${left}; then true; else ${right}; fi`,
  (left, right) => `for i in 1 2; do ${left}; ${right}; done`,
  (left, right) => `case a in b) ${right} ;; (a) ${left} ;; esac`,
  // Bodies inside of bodies are shorter, so that no function calls itself.
  (left, right) => `g${left.length}() { ${left}; }; ${right}; g${left.length}`,
  (left) => `y=$(${left})`,
];

const simple = fc
  .tuple(fc.constantFrom(...SIMPLE), VALUE, VALUE)
  .map(([statement, left, right]) => statement(left, right));

const { statement } = fc.letrec<{ statement: string }>((tie) => ({
  statement: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    simple,
    fc
      .tuple(fc.constantFrom(...COMPOUND), tie('statement'), tie('statement'))
      .map(([join, left, right]) => join(left, right)),
  ),
}));

describe('a line that writes out of the workspace', () => {
  it('is refused under a list of denied commands, whatever leads it there', () => {
    const lines = fc.sample(statement, { numRuns: LINES, seed: SEED });
    const ran = bash.run(lines);
    expect(ran.filter(({ escaped }) => escaped).length).toBeGreaterThan(LINES / 10);
    const missed = lines.filter((line, index) => {
      const { workspace = '', escaped = false } = ran[index] ?? {};
      const place = {
        workspace,
        cwd: workspace,
        home: `${workspace}/../home`,
        temporary: [`${workspace}/src`],
        writable: [],
      };
      return escaped && checkLine({ commands: { deny: ['deploy'] } }, line, place).length === 0;
    });
    expect(missed).toEqual([]);
  }, 120_000);
});
