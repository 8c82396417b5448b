import { describe, expect, it } from 'vitest';
import {
  arrangeDiagnostics,
  createDiagnostic,
  type Diagnostic,
  diagnosticOf,
} from '../../../src/diagnostics/diagnostic.ts';
import { renderHuman } from '../../../src/diagnostics/render-human.ts';
import { renderJson } from '../../../src/diagnostics/render-json.ts';

const span = (line: number, column: number, endColumn = column + 1) => ({
  line,
  column,
  endLine: line,
  endColumn,
});
const error = (line: number, column: number, message = 'm'): Diagnostic =>
  createDiagnostic('WF007', { message, span: span(line, column) });
const warning = (line: number, column: number): Diagnostic =>
  diagnosticOf('WF203', 'warning', {
    message: 'w',
    span: span(line, column),
    help: 'do',
    notes: ['n'],
    related: [{ message: 'r', span: span(1, 2) }],
  });

describe('arrangeDiagnostics', () => {
  it('sorts by position, errors first, and says the same thing once', () => {
    const arranged = arrangeDiagnostics([
      warning(2, 1),
      error(10, 1),
      error(2, 1),
      error(2, 1),
      error(1, 9),
      error(2, 1, 'other'),
    ]);
    expect(arranged.map(({ severity, message, span: { line } }) => `${line} ${severity} ${message}`)).toEqual(
      ['1 error m', '2 error m', '2 error other', '2 warning w', '10 error m'],
    );
  });
});

describe('renderJson', () => {
  it('is the document of validate --json, in which warnings leave a file ok', () => {
    const files = [
      { path: 'a.yaml', diagnostics: [warning(3, 4)] },
      { path: 'b.yaml', diagnostics: [error(1, 1)] },
    ];
    const document = renderJson(files);
    expect(document.ok).toBe(false);
    expect(document.files.map(({ path, ok }) => [path, ok])).toEqual([
      ['a.yaml', true],
      ['b.yaml', false],
    ]);
    expect(document.files[0]?.diagnostics).toEqual([
      {
        code: 'WF203',
        severity: 'warning',
        message: 'w',
        line: 3,
        column: 4,
        end_line: 3,
        end_column: 5,
        related: [{ message: 'r', line: 1, column: 2 }],
        notes: ['n'],
        help: 'do',
      },
    ]);
    expect(renderJson([])).toEqual({ schema_version: 1, ok: true, files: [] });
  });
});

describe('renderHuman', () => {
  const render = (text: string, diagnostic: Diagnostic, color = false) =>
    renderHuman([diagnostic], { name: 'f.yaml', text }, { color });

  it('is empty when there is nothing to say', () => {
    expect(renderHuman([], { name: 'f.yaml', text: 'a' }, { color: false })).toBe('');
  });

  it('puts the label beside the carets, also under wide characters', () => {
    const diagnostic = createDiagnostic('WF007', { message: 'm', span: span(1, 4, 6), label: 'here' });
    expect(render('日本 ab', diagnostic).split('\n')[4]).toBe('  |      ^^ here');
  });

  it('lets no control character of a document through', () => {
    const diagnostic = createDiagnostic('WF007', { message: 'bad \u001b[31m', span: span(1, 1) });
    expect(render('\u001b[2J\u202e', diagnostic)).not.toMatch(/\p{Cc}(?<!\n)|\u202e/u);
  });

  it('cuts a long line around the place in question', () => {
    const diagnostic = createDiagnostic('WF007', { message: 'm', span: span(1, 5_001, 5_004) });
    const [, , , excerpt = '', carets = ''] = render(
      `${'x'.repeat(5_000)}abc${'y'.repeat(5_000)}`,
      diagnostic,
    ).split('\n');
    expect(excerpt.length).toBeLessThan(200);
    expect(excerpt.slice(carets.indexOf('^'), carets.lastIndexOf('^') + 1)).toBe('abc');
  });

  it('survives a span beyond the text', () => {
    expect(render('a', error(9, 9))).toContain('--> f.yaml:9:9');
  });

  it('colours only when asked', () => {
    expect(render('a', error(1, 1), true)).toContain('\u001b[1;31merror[WF007]');
    expect(render('a', error(1, 1))).not.toContain('\u001b');
  });
});
