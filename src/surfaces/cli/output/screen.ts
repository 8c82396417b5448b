import { visibleLength } from '../../../text/visible-length.ts';
import type { Terminal } from './terminal.ts';

/** Replaces the text shown before. For terminals only: a pipe would receive every version. */
export function createScreen(terminal: Terminal): { readonly show: (text: string) => void } {
  let shown = '';
  return {
    show: (text) => {
      const clipped = clipRows(text, terminal.rows() - 1);
      if (clipped === shown) return;
      const up = heightOf(shown, terminal.columns());
      terminal.out(`${up === 0 ? '' : `\u001b[${up}A\r\u001b[J`}${clipped}`);
      shown = clipped;
    },
  };
}

/** Limits a text to the height of the terminal, because lines that have scrolled out of view can't be erased. */
function clipRows(text: string, rows: number): string {
  const lines = text.split('\n');
  if (lines.length - 1 <= rows) return text;
  const hidden = lines.length - rows;
  return `${lines.slice(0, rows - 1).join('\n')}\n… and ${hidden} more\n`;
}

function heightOf(text: string, columns: number): number {
  if (text === '') return 0;
  return text
    .split('\n')
    .slice(0, -1)
    .reduce((height, line) => height + Math.max(1, Math.ceil(visibleLength(line) / columns)), 0);
}
