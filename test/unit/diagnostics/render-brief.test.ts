import { describe, expect, it } from 'vitest';
import { createDiagnostic, diagnosticOf } from '../../../src/diagnostics/diagnostic.ts';
import { renderBrief, renderHuman } from '../../../src/diagnostics/render-human.ts';

const span = (line: number) => ({ line, column: 1, endLine: line, endColumn: 2 });
const warning = diagnosticOf('WF203', 'warning', {
  message: 'no route\u0007',
  span: span(1),
  notes: ['n'],
  help: 'h',
});
const error = createDiagnostic('WF006', { message: 'twice', span: span(2) });
const source = { name: 'w.yaml', text: 'a\nb\n' };
const options = { color: false };

describe('diagnostics in brief', () => {
  it('are frames of errors, then a line for each warning', () => {
    expect(renderBrief([warning, error], source, options)).toBe(
      `${renderHuman([error], source, options)}\nwarning[WF203]: w.yaml:1 no route\ufffd\n`,
    );
  });

  it('are lines alone if there are only warnings, and nothing if there is nothing', () => {
    expect(renderBrief([warning], source, options)).toBe('warning[WF203]: w.yaml:1 no route\ufffd\n');
    expect(renderBrief([], source, options)).toBe('');
  });
});
