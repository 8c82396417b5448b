import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createPrograms } from '../../../../src/adapters/programs/compare-programs.ts';
import { numberOfRuns } from '../../number-of-runs.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..', '..');
const programs = createPrograms();
const settings = { keepsImports: false, emitsTypes: false };

/** Real programs: a few dozen files of this project, without those that hold templates over many lines. */
const files = execFileSync('git', ['ls-files', 'src/work', 'src/policy', 'src/kernel'], {
  cwd: ROOT,
  encoding: 'utf8',
})
  .split('\n')
  .filter((path) => path.endsWith('.ts'))
  .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));

/** Lines behind which a statement has ended at the top of a file: a comment there is between two of them. */
const safePlaces = (text: string): number[] =>
  text.split('\n').flatMap((line, at) => (/^(?:}|import .*;|export type .*;)$/.test(line) ? [at + 1] : []));

/** Marks and names whose exchange changes what a program does, wherever they stand outside comments and types. */
const MUTATIONS: readonly (readonly [RegExp, string])[] = [
  [/(?<=if \(.*) === /, ' !== '],
  [/(?<=return .*) === /, ' !== '],
  [/ && /, ' || '],
  [/ \+ 1\b/, ' - 1'],
  [/\breturn (?=\w+[;(.])/, 'return !'],
  [/\breturn (?=\w+;)/, 'return\n'],
  [/ \? (?=\w+ :)/, ' ? !'],
  [/(?<== )'(?=[^'\n]+';)/, "'x"],
];

describe('programs of this project', () => {
  it('are proved equal with added comments and blank lines', async () => {
    const cases = fc.sample(
      fc.tuple(
        fc.nat(files.length - 1),
        fc.nat(1000),
        fc.constantFrom('', '// So.', '/* so\n */', '  ', '/** So. */'),
      ),
      { numRuns: numberOfRuns(60), seed: 7 },
    );
    const pairs = cases.flatMap(([index, place, added]) => {
      const { path, text } = files[index] ?? { path: '', text: '' };
      const places = safePlaces(text);
      const at = places[place % Math.max(1, places.length)];
      if (at === undefined) return [];
      const lines = text.split('\n');
      return [{ path, before: text, after: [...lines.slice(0, at), added, ...lines.slice(at)].join('\n') }];
    });
    expect(pairs.length).toBeGreaterThan(40);
    const proofs = await programs.compare(pairs, settings);
    expect(pairs.filter((_, index) => proofs[index]?.proved !== true)).toEqual([]);
  });

  it('are never proved equal after a change of behaviour', async () => {
    const chosen = files.filter((_, index) => index % 4 < numberOfRuns(1));
    const pairs = chosen.flatMap(({ path, text }) =>
      MUTATIONS.flatMap(([from, to]) => {
        const lines = text.split('\n');
        const at = lines.findIndex(
          (line) => from.test(line) && !/^\s*(?:\/\/|\/?\*|(?:export )?type )/.test(line),
        );
        if (at < 0) return [];
        return [
          { path, before: text, after: lines.with(at, (lines[at] ?? '').replace(from, to)).join('\n') },
        ];
      }),
    );
    expect(pairs.length).toBeGreaterThan(chosen.length);
    const proofs = await programs.compare(pairs, settings);
    const wrong = pairs.filter((pair, index) => pair.before !== pair.after && proofs[index]?.proved === true);
    expect(wrong.map(({ path, after }) => [path, after])).toEqual([]);
  });
});
