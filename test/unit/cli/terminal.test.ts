import { describe, expect, it } from 'vitest';
import { renderHuman } from '../../../src/diagnostics/render-human.ts';
import { createTerminal, printDiagnostics, stdoutOf } from '../../../src/surfaces/cli/output/terminal.ts';
import { visibleLength } from '../../../src/text/visible-length.ts';

/** A coloured terminal of this width that keeps what is written to it. */
function openTerminal(columns: number) {
  const written: string[] = [];
  const stream = {
    isTTY: true,
    columns,
    write: (text: string) => {
      written.push(text);
      return true;
    },
  } as unknown as NodeJS.WriteStream;
  const stdin = { isTTY: true } as NodeJS.ReadStream;
  const terminal = createTerminal({ stdin, stdout: stream, stderr: stream, env: {}, noInput: true });
  return { terminal, text: () => written.join('') };
}

const TEXT = `agents:\n  bad: { kind: nope, command: [${'long, '.repeat(20)}] }\n`;
const DIAGNOSTIC = {
  code: 'CF010',
  severity: 'error' as const,
  message: 'the kind of this agent is not one of the kinds that a configuration can name',
  span: { line: 2, column: 16, endLine: 2, endColumn: 20 },
  label: null,
  related: [],
  notes: [],
  help: 'use one of `claude-code`, `codex`, `acp`, `command` or `replay`, or remove the agent',
};

describe('a coloured terminal', () => {
  it('shows diagnostics in colour, wraps what they say and leaves the source as it is', () => {
    const { terminal, text } = openTerminal(60);
    const rendered = renderHuman([DIAGNOSTIC], { name: 'config.yaml', text: TEXT }, { color: true });
    printDiagnostics(stdoutOf(terminal), rendered);
    expect(text()).toContain('\u001b[1;31merror[CF010]\u001b[0m');
    expect(text()).not.toContain('\\x1b');
    expect(text().replace(/\s+/g, ' ')).toBe(rendered.replace(/\s+/g, ' '));
    const source = rendered.split('\n').find((line) => line.includes('bad:'));
    expect(text().split('\n')).toContain(source);
    const others = text()
      .split('\n')
      .filter((line) => !line.includes('bad:'));
    expect(others.filter((line) => visibleLength(line) > 60)).toEqual([]);
  });

  it('neutralises every other sequence', () => {
    const { terminal, text } = openTerminal(80);
    terminal.out('a\u001b[8mhidden\u001b[2Jb\n');
    expect(text()).not.toContain('\u001b');
  });
});
