import { describe, expect, it } from 'vitest';
import { createDiagnostic, type DiagnosticParts, diagnosticOf } from '../../../src/diagnostics/diagnostic.ts';
import { renderGithub } from '../../../src/diagnostics/render-github.ts';

const span = { line: 3, column: 5, endLine: 3, endColumn: 9 };

function render(path: string, parts: Partial<DiagnosticParts> = {}): string {
  const diagnostic = createDiagnostic('WF007', { message: 'm', span, ...parts });
  return renderGithub([{ path, diagnostics: [diagnostic] }]);
}

describe('renderGithub', () => {
  it('is empty when there is nothing to say', () => {
    expect(renderGithub([{ path: 'a.yaml', diagnostics: [] }])).toBe('');
  });

  it('writes one command a line, over all files in their order, by severity', () => {
    const warning = diagnosticOf('WF203', 'warning', { message: 'w', span });
    const error = createDiagnostic('WF007', { message: 'e', span });
    const files = [
      { path: 'b.yaml', diagnostics: [warning, error] },
      { path: 'a.yaml', diagnostics: [error] },
    ];
    expect(renderGithub(files).split('\n')).toEqual([
      '::warning file=b.yaml,line=3,col=5,endLine=3,endColumn=9,title=WF203::w',
      '::error file=b.yaml,line=3,col=5,endLine=3,endColumn=9,title=WF007::e',
      '::error file=a.yaml,line=3,col=5,endLine=3,endColumn=9,title=WF007::e',
      '',
    ]);
  });

  it('leaves the columns out where a place spans lines, which GitHub would refuse', () => {
    expect(render('a.yaml', { span: { ...span, endLine: 4 } })).toBe(
      '::error file=a.yaml,line=3,endLine=4,title=WF007::m\n',
    );
  });

  it('says in the same annotation what to do', () => {
    expect(render('a.yaml', { notes: ['n'], help: 'h' })).toMatch(/::m%0Anote: n%0Ahelp: h\n$/);
  });

  it.each([
    ['a percent sign', '100%', '100%25', '100%25'],
    ['an escape that stood there before', '%0A', '%250A', '%250A'],
    ['a line feed', 'a\nb', 'a%0Ab', 'a%0Ab'],
    ['a carriage return', 'a\rb', 'a%0Db', 'a%0Db'],
    ['a colon', 'a:b', 'a%3Ab', 'a:b'],
    ['a comma', 'a,b', 'a%2Cb', 'a,b'],
    ['a command', '\n::error::x', '%0A%3A%3Aerror%3A%3Ax', '%0A::error::x'],
  ])('escapes %s as GitHub wants it in properties and in messages', (_, text, property, data) => {
    expect(render(text, { message: text })).toBe(
      `::error file=${property},line=3,col=5,endLine=3,endColumn=9,title=WF007::${data}\n`,
    );
  });
});
