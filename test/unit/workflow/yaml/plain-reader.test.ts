import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseAnyYaml, parsePlainYaml, type YamlResult } from '../../../../src/workflow/yaml-source.ts';
import type { Path } from '../../../../src/workflow/yaml-tree.ts';
import { generatedText, mutatedText, projectTexts } from './texts.ts';

/** Fixed so that a failure is the same for everyone; another seed is one variable away. */
const seed = Number(process.env.FUZZ_SEED ?? 20_260_101);
const numRuns = Number(process.env.FUZZ_RUNS ?? 1500);

function pathsOf(data: unknown, path: Path = []): Path[] {
  if (data === null || typeof data !== 'object') return [path];
  const entries = Array.isArray(data) ? [...data.entries()] : Object.entries(data);
  return [path, ...entries.flatMap(([part, value]) => pathsOf(value, [...path, part]))];
}

/** Everything that anybody can ask about a document, for each of its paths and for paths beside them. */
function answersOf({ source, diagnostics, empty }: YamlResult): string {
  if (source === null) return JSON.stringify({ diagnostics, empty });
  const paths = pathsOf(source.data).flatMap((path) => [path, [...path, 'absent'], [...path, 0, 99]]);
  const places = paths.map((path) => [
    path,
    source.locate(path, 'key'),
    source.locate(path, 'value'),
    source.locateFirstKey(path),
    source.locateText(path, 'a'),
    source.locateText(path, '\n'),
    source.sourceText(path),
  ]);
  return JSON.stringify({ data: source.data, diagnostics, empty, places }, spellNumbers, 1);
}

/** JSON has no word for some numbers, and would say the same about them as about null or zero. */
function spellNumbers(_: string, value: unknown): unknown {
  if (typeof value !== 'number') return value;
  return Object.is(value, -0) ? 'number -0' : `number ${value}`;
}

/** Whether the fast reader has answered; that it then says the same is checked on the way. */
function agrees(text: string): boolean {
  const plain = parsePlainYaml(text, 'WF');
  if (plain !== null) expect(answersOf(plain)).toBe(answersOf(parseAnyYaml(text, 'WF')));
  return plain !== null;
}

describe('the plain reader', () => {
  it('says the same about the workflows of the project, and reads all but those that are no sound YAML', () => {
    const left = projectTexts.filter(({ text }) => !agrees(text)).map(({ name }) => name);
    expect(left.filter((name) => !/\/WF00[1-6]-/.test(name))).toEqual([]);
    expect(left.length).toBeLessThan(projectTexts.length / 4);
  });

  it(`says the same about generated documents (seed ${seed})`, () => {
    let answered = 0;
    fc.assert(
      fc.property(generatedText, (text) => {
        if (agrees(text)) answered += 1;
      }),
      { seed, numRuns },
    );
    expect(answered).toBeGreaterThan(numRuns / 10);
  });

  it('says the same about the workflows of the project with carriage returns, and reads most of them', () => {
    const left = projectTexts.filter(({ text }) => !agrees(text.replaceAll('\n', '\r\n')));
    expect(left.length).toBeLessThan(projectTexts.length / 4);
  });

  it(`says the same about generated documents with carriage returns (seed ${seed})`, () => {
    let answered = 0;
    fc.assert(
      fc.property(generatedText, (text) => {
        if (agrees(text.replaceAll('\n', '\r\n'))) answered += 1;
      }),
      { seed, numRuns },
    );
    expect(answered).toBeGreaterThan(numRuns / 10);
  });

  it.each([
    'a: 1\na: 2\n',
    'a:\n  b: 1\n  b: 2\na:\n  c: 1\n  c: 2\n',
    '- a: 1\n  "a": 2\n  \'a\': 3\n',
    'a: 1\nb: 2\na: 3\nc: 4\nc: 5\nb: 6\n',
  ])('tells of keys that are given twice in %j as the other reader does', (text) => {
    expect(agrees(text)).toBe(true);
    expect(parsePlainYaml(text, 'WF')?.diagnostics).not.toEqual([]);
  });

  it(`says the same about documents of the project after random edits (seed ${seed})`, () => {
    let answered = 0;
    fc.assert(
      fc.property(mutatedText, (text) => {
        if (agrees(text)) answered += 1;
      }),
      { seed, numRuns },
    );
    expect(answered).toBeGreaterThan(numRuns / 10);
  });

  it('reads what programs write as JSON, close together and over many lines', () => {
    const property = fc.property(
      fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 5 }),
      fc.constantFrom(0, 2),
      (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        agrees(text);
        agrees(`# a comment\n${text} # another\n`);
      },
    );
    fc.assert(property, { seed, numRuns: numRuns / 10 });
    const step = { id: 'a', opcode: 'RUN_AGENT', inputs: ['diff'], limits: { max_visits: 3 }, none: null };
    for (const indent of [0, 2])
      expect(agrees(JSON.stringify({ steps: [step, step] }, null, indent))).toBe(true);
  });
});
