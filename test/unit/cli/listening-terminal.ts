import type { Terminal } from '../../../src/surfaces/cli/output/terminal.ts';

const same = (text: string) => text;
const paint = { bold: same, dim: same, red: same, green: same, yellow: same, blue: same, enabled: false };

/** A non-interactive terminal that keeps what is written to it. */
export function listeningTerminal() {
  const written = { out: '', err: '' };
  const terminal: Terminal = {
    out: (text) => {
      written.out += String(text);
    },
    err: (text) => {
      written.err += text;
    },
    page: async (text) => {
      written.out += text;
    },
    paint,
    paintOut: paint,
    isOut: false,
    live: false,
    liveOut: false,
    interactive: false,
    columns: () => 80,
    rows: () => 24,
  };
  return { terminal, written };
}
