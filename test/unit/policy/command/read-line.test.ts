import { describe, expect, it } from 'vitest';
import { readLine } from '../../../../src/policy/shell/grammar/read-line.ts';
import { MASK, type Step } from '../../../../src/policy/shell/grammar/shell-word.ts';

/** Commands as words between brackets, compounds by their shape, and what is between them. */
function spell(line: string): string {
  return spellSteps(readLine(line).steps);
}

function spellSteps(steps: readonly Step[]): string {
  return steps.map(spellStep).join(' ');
}

function spellStep(step: Step): string {
  const redirections = step.redirections.map(({ operator, target }) => `${operator}${target.text}`);
  if (step.kind === 'compound') {
    const parts = step.parts.map((part) => spellSteps(part.steps)).join(' / ');
    return [`${step.shape}(${parts})`, ...redirections, step.next].join(' ');
  }
  return [
    ...step.assignments.map(({ name, value }) => `${name}:=${value ?? '?'}`),
    ...step.words.map((word) => `[${word.unknown ? '?' : ''}${word.pattern ? '*' : ''}${word.text}]`),
    ...redirections,
    step.next,
  ].join(' ');
}

describe('a shell line', () => {
  it.each([
    ['ls', '[ls] end'],
    ['  ls   -l\t-a  ', '[ls] [-l] [-a] end'],
    ['a && b || c; d & e | f |& g', '[a] && [b] || [c] ; [d] & [e] | [f] | [g] end'],
    ['a\nb', '[a] ; [b] end'],
    ['a;b', '[a] ; [b] end'],
    [`echo 'a b' "c d" e\\ f`, '[echo] [a b] [c d] [e f] end'],
    [`a'b'"c"\\d`, '[abcd] end'],
    [`''`, '[] end'],
    ['"a\\"b\\$c\\d"', '[a"b$c\\d] end'],
    [`$'a\\tb\\x41\\101\\u00e9\\''`, "[a\tbAAé'] end"],
    ['a\\\nb', '[ab] end'],
    ['a \\\n b', '[a] [b] end'],
    ['"a\\\nb"', '[ab] end'],
    ['a # b\nc', '[a] ; [c] end'],
    ['a#b', '[a#b] end'],
    ['A=1 B="x y" c', 'A:=1 B:=x y [c] end'],
    ['A=$x', 'A:=? end'],
    ['a B=1', '[a] [B=1] end'],
    ['"A"=1', '[A=1] end'],
    ['A=(x y) B=1', 'A:= B:=1 end'],
    ['a > b >> c 2>&1 < d &> e >| f <<< g <> h', '[a] >b >>c >&1 <d &>e >|f <<<g <>h end'],
    ['a 2 > b', '[a] [2] >b end'],
    ['a {fd}> b', '[a] >b end'],
    ['a $b "${c}" $1 ${d:-"e}"} f$', '[a] [?$b] [?${c}] [?$1] [?${d:-"e}"}] [f$] end'],
    ['a $((1 + (2 * 3))) b', '[a] [?$((1 + (2 * 3)))] [b] end'],
    [
      'a *.ts b? [cd] {e,f} {1..3} {} {g} HEAD@{1}',
      '[a] [**.ts] [*b?] [*[cd]] [*{e,f}] [*{1..3}] [{}] [{g}] [HEAD@{1}] end',
    ],
    ['a "*" \\*', '[a] [*] [*] end'],
    ['(a; b) && c', 'subshell([a] ; [b] end) && [c] end'],
    ['{ a; b; } > c', 'group([a] ; [b] ;) >c end'],
    ['if a; then b; elif d; then e; else c; fi', 'if([a] ; / [b] ; / [d] ; / [e] ; / [c] ;) end'],
    ['for x in a b; do c; done', 'loop(x:=? ; / [c] ;) end'],
    ['for x; do c; done | d', 'loop(x:=? ; / [c] ;) | [d] end'],
    ['for ((i = 0; i < 3; i++)); do c; done', 'loop( / [c] ;) end'],
    ['while a; do b; done < c', 'loop([a] ; / [b] ;) <c end'],
    ['while a; do b; done < <(c)', 'loop([a] ; / [b] ;) </dev/fd/63 end substitution([c] end) end'],
    ['case $x in a|b) c ;; (d) e;; *) f; esac; g', 'case([c] ; / [e] ; / [f] ;) ; [g] end'],
    ['f() { a; }; f', 'function(group([a] ;) end) ; [f] end'],
    ['f() ( a ); f', 'function(subshell([a] end) end) ; [f] end'],
    ['function f { a; }', 'function(group([a] ;) end) end'],
    ['((x = 1)) && a', 'x:=0 && [a] end'],
    ['x[1 + 1]=b a', 'x:=b [a] end'],
    ['declare -A m=([a]=1 [b]=2); c', '[declare] [-A] [m=] ; [c] end'],
    ['echo @(a|b) !(c)', '[echo] [*@(a|b)] [*!(c)] end'],
    ['echo $(a; b)', 'substitution([a] ; [b] end) end [echo] [?$(a; b)] end'],
    ['echo "x $(a ")") y"', 'substitution([a] [)] end) end [echo] [?x $(a ")") y] end'],
    [
      'echo `a \\`b\\``',
      'substitution(substitution([b] end) end [a] [?`b`] end) end [echo] [?`a \\`b\\``] end',
    ],
    [
      'diff <(a) <(b)',
      'substitution([a] end) end substitution([b] end) end [diff] [/dev/fd/63] [/dev/fd/63] end',
    ],
    ['cat <<E\n$(a)\nE', '[cat] <<E ; substitution([a] end) end'],
    ['[[ a < b && (c || d) ]] && e', '[[[] [a] [<] [b] [&&] [(c] [||] [d)] []]] && [e] end'],
    ['! a', '[a] end'],
    ['time a', '[a] end'],
    ['echo if then', '[echo] [if] [then] end'],
    ['"if" a', '[if] [a] end'],
    ['cat <<E\nx; y\nE\na', '[cat] <<E ; [a] end'],
    ['cat <<E | b\nx\nE', '[cat] <<E | [b] ;'],
    ["cat <<-'E'\n\tx\n\tE\na", '[cat] <<E ; [a] end'],
  ])('%j reads as %s', (line, expected) => {
    expect(spell(line)).toBe(expected);
    expect(readLine(line).problems).toEqual([]);
  });

  it.each([
    ["'a", 'a quote is not closed'],
    ['"a', 'a quote is not closed'],
    ['a\\', 'it ends in a backslash'],
    ['(a', 'a bracket is not closed'],
    ['a)', 'a closing bracket has no opening one'],
    ['a >', 'a redirection has no target'],
    ['fi', 'a reserved word is misplaced'],
    ['if a; then b', 'a compound command is not closed'],
    ['echo ${x@P}', 'an expansion decides what it runs'],
    ['a <<E\nb', 'a here-document is not closed'],
    ['a ;; b', '`;;` is outside a case'],
    ['coproc a', 'a coprocess is not supported'],
    ['a\u0000b', 'it contains a NUL character'],
    ['( '.repeat(100), 'it is nested too deeply'],
    ['a;'.repeat(6_000), 'it has too many commands'],
    ['a '.repeat(60_000), 'it has too many words'],
    ['`'.repeat(120_000), 'it has too many words'],
  ])('%.20j is not understood: %s', (line, problem) => {
    expect(readLine(line).problems).toContain(problem);
  });
});

describe('the masked copy', () => {
  it.each([
    [`a 'b c' "d" e`, `a '___' "_" e`],
    [`a $'b' c`, `a $'_' c`],
    ['a # b\nc', 'a ___\nc'],
    ['a <<E\nbc\nE\nd', 'a <<E\n___E\nd'],
    ['a "b $(c) d" e', 'a "________" e'],
  ])('of %j is %j', (line, expected) => {
    expect(readLine(line).masked.replaceAll(MASK, '_')).toBe(expected);
  });
});
