import { describe, expect, it } from 'vitest';
import { createDiagnostic, type Diagnostic, diagnosticOf } from '../../../src/diagnostics/diagnostic.ts';
import type { CheckedFile } from '../../../src/diagnostics/render-json.ts';
import { renderSarif } from '../../../src/diagnostics/render-sarif.ts';
import { CODES } from '../../../src/workflow/diagnostic-codes.ts';

const span = (line: number) => ({ line, column: 5, endLine: line, endColumn: 9 });
const error = createDiagnostic('WF006', {
  message: 'the key `id` is given twice',
  span: span(3),
  related: [{ message: 'first given here', span: span(2) }],
});
const warning = diagnosticOf('WF203', 'warning', { message: 'w', span: span(7), notes: ['n'], help: 'h' });

function runOf(files: readonly CheckedFile[]) {
  const [run, second] = renderSarif(files, { version: '1.2.3', codes: CODES }).runs;
  if (run === undefined || second !== undefined) throw new Error('there is not exactly one run');
  return run;
}

function uriOf(path: string): string | undefined {
  const [result] = runOf([{ path, diagnostics: [error] }]).results;
  return result?.locations[0]?.physicalLocation.artifactLocation.uri;
}

const region = (line: number) => ({ startLine: line, startColumn: 5, endLine: line, endColumn: 9 });
const place = (uri: string, line: number) => ({
  physicalLocation: { artifactLocation: { uri }, region: region(line) },
});

describe('renderSarif', () => {
  it('is a log of version 2.1.0 by this version of conductor, whose columns count as ours do', () => {
    const log = renderSarif([], { version: '1.2.3', codes: CODES });
    expect(log).toMatchObject({ $schema: expect.stringContaining('sarif-2.1.0'), version: '2.1.0' });
    expect(runOf([])).toMatchObject({
      tool: { driver: { name: 'conductor', version: '1.2.3' } },
      columnKind: 'utf16CodeUnits',
      results: [],
    });
  });

  it('lists every registered code as a rule, with its level and without an address of its help', () => {
    const { rules } = runOf([]).tool.driver;
    expect(rules.map(({ id }) => id).sort()).toEqual(Object.keys(CODES).sort());
    expect(rules.find(({ id }) => id === 'WF203')).toEqual({
      id: 'WF203',
      name: 'AKillFallsBackToTheErrorRoute',
      shortDescription: { text: 'a kill falls back to the error route' },
      help: { text: 'conductor explain WF203' },
      defaultConfiguration: { level: 'warning' },
    });
  });

  it('gives every rule a name that is one word and its own within its kind of document', () => {
    const { rules } = runOf([]).tool.driver;
    expect(rules.filter(({ name }) => !/^[A-Z][A-Za-z0-9]+$/.test(name))).toEqual([]);
    const named = rules.map(({ id, name }) => `${id.slice(0, 2)} ${name}`);
    expect(new Set(named).size).toBe(rules.length);
  });

  it('puts the results of several files into one run', () => {
    const files = [
      { path: 'a.yaml', diagnostics: [error, warning] },
      { path: 'b.yaml', diagnostics: [] },
      { path: 'c.yaml', diagnostics: [warning] },
    ];
    expect(runOf(files).results).toEqual([
      {
        ruleId: 'WF006',
        ruleIndex: expect.any(Number),
        level: 'error',
        message: { text: 'the key `id` is given twice' },
        locations: [place('a.yaml', 3)],
        relatedLocations: [{ id: 1, message: { text: 'first given here' }, ...place('a.yaml', 2) }],
      },
      {
        ruleId: 'WF203',
        ruleIndex: expect.any(Number),
        level: 'warning',
        message: { text: 'w\nnote: n\nhelp: h' },
        locations: [place('a.yaml', 7)],
      },
      expect.objectContaining({ ruleId: 'WF203', locations: [place('c.yaml', 7)] }),
    ]);
  });

  it('leads from every result to its rule', () => {
    const diagnostics: Diagnostic[] = [error, warning];
    const { results, tool } = runOf([{ path: 'a.yaml', diagnostics }]);
    expect(results.map(({ ruleIndex }) => tool.driver.rules[ruleIndex]?.id)).toEqual(['WF006', 'WF203']);
  });

  it.each([
    ['.tnh/workflows/implement.yaml', '.tnh/workflows/implement.yaml'],
    ['./a.yaml', 'a.yaml'],
    ['../a.yaml', '../a.yaml'],
    ['my flows/50% ü#1?.yaml', 'my%20flows/50%25%20%C3%BC%231%3F.yaml'],
    ['a:b.yaml', 'a%3Ab.yaml'],
    ['/srv/flows/a b.yaml', 'file:///srv/flows/a%20b.yaml'],
    ['\ud800.yaml', '%EF%BF%BD.yaml'],
  ])('writes the path %j as a URI', (path, uri) => {
    expect(uriOf(path)).toBe(uri);
  });
});
