import { describe, expect, it } from 'vitest';
import { createScreen } from '../../../src/surfaces/cli/output/screen.ts';

const same = (text: string) => text;
const paint = { bold: same, dim: same, red: same, green: same, yellow: same, blue: same, enabled: false };
const ESCAPE = '\u001b';

function watch(rows: number, columns: number) {
  const written: string[] = [];
  const screen = createScreen({
    out: (text) => void written.push(String(text)),
    err: () => {},
    page: async () => {},
    paint,
    paintOut: paint,
    live: true,
    isOut: false,
    liveOut: true,
    interactive: false,
    columns: () => columns,
    rows: () => rows,
  });
  return { screen, written };
}

describe('a screen', () => {
  it('shows a text in place of the one before, and the same text once', () => {
    const { screen, written } = watch(24, 80);
    for (const text of ['a\nb\n', 'a\nb\n', 'c\n']) screen.show(text);
    expect(written).toEqual(['a\nb\n', `${ESCAPE}[2A\r${ESCAPE}[Jc\n`]);
  });

  it('counts the lines that a long line takes', () => {
    const { screen, written } = watch(24, 10);
    screen.show(`${'x'.repeat(11)}\n\n`);
    screen.show('y\n');
    expect(written[1]).toBe(`${ESCAPE}[3A\r${ESCAPE}[Jy\n`);
  });

  it('shows no more lines than there are, and how many it leaves out', () => {
    const { screen, written } = watch(4, 80);
    screen.show('1\n2\n3\n4\n5\n');
    expect(written).toEqual(['1\n2\n… and 3 more\n']);
  });
});
