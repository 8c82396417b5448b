import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readLine } from '../../../../src/policy/shell/grammar/read-line.ts';

const SCRIPT = `p() { printf '%s\\037' "$@"; }
for line; do (eval "p $line") 2>/dev/null || printf '!'; printf '\\036'; done`;

/** What bash itself makes of the words of each line; null where it refuses the line. */
function askBash(lines: readonly string[]): (readonly string[] | null)[] {
  const out = execFileSync('bash', ['--noprofile', '--norc', '-f', '-c', SCRIPT, 'bash', ...lines], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH ?? '', LC_ALL: 'C.UTF-8' },
  });
  return out
    .split('\u001e')
    .slice(0, -1)
    .map((answer) => (answer.endsWith('!') ? null : answer.split('\u001f').slice(0, -1)));
}

const piece = fc.constantFrom(
  'a',
  'rm',
  ' ',
  '  ',
  '\t',
  "'",
  '"',
  '\\',
  "'x y'",
  '"x y"',
  "''",
  '\\ ',
  "\\'",
  '\\"',
  '\\\\',
  '\\\n',
  "$'\\x41'",
  "$'\\t'",
  "$'\\''",
  "$'\\101b'",
  '#',
  '=',
  '-',
  '/',
  '~x',
  '%',
);
const line = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));

describe('the words that the filter reads', () => {
  it('are the words that bash reads; what bash refuses, and a backslash at the end, is refused', () => {
    const lines = fc.sample(line, { numRuns: 1_500, seed: 5 });
    const answers = askBash(lines);
    const compared = lines.flatMap((text, index) => {
      const { problems, segments } = readLine(`p ${text}`);
      // Behind a comment another command may begin, which is not there.
      if (segments.length > 1 || problems.includes('it ends in a backslash')) return [];
      const words = segments[0]?.words.slice(1).map((word) => word.text) ?? [];
      // The shell prints an empty word where there is none.
      const read = problems.length > 0 ? null : words.length === 0 ? [''] : words;
      return [{ text, read, said: answers[index] }];
    });
    expect(compared.length).toBeGreaterThan(1_000);
    expect(compared.map(({ text, read }) => ({ text, words: read }))).toEqual(
      compared.map(({ text, said }) => ({ text, words: said })),
    );
  });
});
