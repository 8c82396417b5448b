import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import fc from 'fast-check';

const ROOT = join(import.meta.dirname, '../../../..');
const FOLDERS = ['test/golden/workflow', 'test/fixtures/workflows', 'workflows', 'examples'];

export interface NamedText {
  readonly name: string;
  readonly text: string;
}

export const projectTexts: readonly NamedText[] = FOLDERS.flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.ya?ml$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ name: relative(ROOT, path), text: readFileSync(path, 'utf8') })),
);

/** Whatever has a meaning in YAML, whole tokens and single characters. */
const PIECES = [
  ' ',
  '  ',
  '\n',
  '\n\n',
  '\n  ',
  '\n    ',
  '\n- ',
  '\n  - ',
  '- ',
  '-',
  ': ',
  ':',
  ',',
  ', ',
  '[',
  ']',
  '{',
  '}',
  '#',
  ' # note',
  '\n# note\n',
  '\n  # note\n',
  '\n      # note\n',
  "'",
  '"',
  "''",
  '\\',
  '\\n',
  '\\u0041',
  '|',
  '>',
  '|-',
  '>-',
  '|+',
  '|2',
  '\n   \n',
  '&a ',
  '*a',
  '!t ',
  '---\n',
  '...\n',
  '\t',
  '\r\n',
  '\r',
  '? ',
  '?',
  '%',
  '@',
  '`',
  '~',
  'null',
  'true',
  '0o17',
  '0x1F',
  '1e3',
  '.inf',
  '-.INF',
  '.nan',
  '-',
  '+1',
  '1.',
  '.5',
  '<<: ',
  'a: b',
  'a',
  'key:',
  'key:\n',
  'http://x',
  'é',
  '😀',
  '\u00a0',
  '\u2028',
];

const piece = fc.constantFrom(...PIECES);

interface Edit {
  readonly at: number;
  readonly remove: number;
  readonly insert: string;
}

const edit: fc.Arbitrary<Edit> = fc.record({
  at: fc.nat(),
  remove: fc.constantFrom(0, 0, 1, 2, 5, 20),
  insert: fc.oneof({ weight: 4, arbitrary: piece }, { weight: 1, arbitrary: fc.constant('') }),
});

function applyEdit(text: string, { at, remove, insert }: Edit): string {
  const from = at % (text.length + 1);
  return text.slice(0, from) + insert + text.slice(from + remove);
}

export const mutatedText: fc.Arbitrary<string> = fc
  .tuple(fc.constantFrom(...projectTexts), fc.array(edit, { minLength: 1, maxLength: 4 }))
  .map(([{ text }, edits]) => edits.reduce(applyEdit, text));

const usualWord = fc.constantFrom(
  'a',
  'two words',
  '12',
  '0.5',
  'null',
  "'s'",
  '"q"',
  '[a, b]',
  '{ a: 1, b: [x] }',
  'a # note',
);

const oddWord = fc.constantFrom(
  'a',
  'b',
  'key',
  'two words',
  '12',
  '-3',
  '0x1f',
  '1.50',
  '1e3',
  '.inf',
  '~',
  'null',
  'True',
  'no',
  '-x',
  'a:b',
  'a#b',
  "it's",
  '"q"',
  "'s'",
  "'it''s'",
  '"a\\"b"',
  '"tab\\t"',
  '[]',
  '{}',
  '[a, b]',
  '{ a: 1, b: [x] }',
  '"x" ',
  'a # note',
  '',
  ' ',
  '<<',
  'x[0]',
  'a, b',
  '- a',
  'a: b',
  '[a,\n      b]',
  '{ a: 1,\n      }',
  '+.inf',
  '08',
  '=',
  '..',
);

const word = mostly(usualWord, oddWord);

const block = fc
  .tuple(
    mostly(fc.constantFrom('|', '>', '|-', '>-'), fc.constantFrom('|+', '>+', '|2', '| # note')),
    fc.array(mostly(fc.constantFrom('a', 'b c', '', 'e # f'), fc.constantFrom(' d', '  ', '# g')), {
      minLength: 1,
      maxLength: 5,
    }),
  )
  .map(([header, lines]) => ({ header, lines }));

type Tree =
  | { readonly kind: 'word'; readonly word: string }
  | { readonly kind: 'block'; readonly header: string; readonly lines: readonly string[] }
  | { readonly kind: 'list' | 'mapping'; readonly step: number; readonly items: readonly Item[] };

interface Item {
  readonly before: string;
  readonly key: string;
  readonly value: Tree;
}

const usualKey = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', '"g"', "'h'", '1', '~', 'i j', 'a:b');
const oddKey = fc.constantFrom('k ', '<<', '? l', '-', '- m', '[n]', 'o#', '&p q');
const usualBefore = fc.constantFrom('', '', '', '', '', '', '\n', '# note\n');
const oddBefore = fc.constantFrom('  # note\n', '  \n', '\n# note\n\n');

const { tree, collection } = fc.letrec<{ tree: Tree; collection: Tree }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'medium', withCrossShrink: true },
    { weight: 6, arbitrary: word.map((text): Tree => ({ kind: 'word', word: text })) },
    { weight: 1, arbitrary: block.map((text): Tree => ({ kind: 'block', ...text })) },
    { weight: 4, arbitrary: tie('collection') },
  ),
  collection: fc.record({
    kind: fc.constantFrom('list' as const, 'mapping' as const),
    step: fc.constantFrom(2, 2, 2, 2, 2, 0, 3, 4),
    items: fc.uniqueArray(
      fc.record({
        before: mostly(usualBefore, oddBefore),
        key: mostly(usualKey, oddKey),
        value: tie('tree'),
      }),
      { minLength: 1, maxLength: 4, selector: ({ key }) => key },
    ),
  }),
}));

/** One oddity in a document is as much as can be understood; more of them only hide each other. */
function mostly<T>(usual: fc.Arbitrary<T>, odd: fc.Arbitrary<T>): fc.Arbitrary<T> {
  return fc.oneof({ weight: 40, arbitrary: usual }, { weight: 1, arbitrary: odd });
}

/** The text of a value behind its key or dash, indented, and always with a line feed at its end. */
function print(value: Tree, column: number, behindDash: boolean): string {
  const pad = (width: number) => ' '.repeat(width);
  switch (value.kind) {
    case 'word':
      return ` ${value.word}\n`;
    case 'block':
      return ` ${value.header}\n${value.lines.map((line) => (line === '' ? '\n' : `${pad(column + 2)}${line}\n`)).join('')}`;
    case 'list':
    case 'mapping': {
      const inner = column + (behindDash ? 2 : value.step);
      const items = value.items.map(({ before, key, value: item }) => {
        const head = value.kind === 'list' ? '-' : `${key}:`;
        const note = before.trim() === '' ? before : `${pad(inner)}${before}`;
        return `${note}${pad(inner)}${head}${print(item, inner, value.kind === 'list')}`;
      });
      const text = items.join('');
      return behindDash && text.startsWith(pad(inner)) ? ` ${text.slice(inner)}` : `\n${text}`;
    }
  }
}

export const generatedText: fc.Arbitrary<string> = fc
  .tuple(mostly(collection, tree), fc.constantFrom('', '', '', '\n', '# note\n', '  # note\n', 'z: 1', '   '))
  .map(([value, tail]) => {
    const text = value.kind === 'list' || value.kind === 'mapping' ? { ...value, step: 0 } : value;
    return print(text, 0, false).replace(/^[\n ]/, '') + tail;
  });
