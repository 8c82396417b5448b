import { renderUnicodeCompact } from 'uqr';
import type { Pairing } from '../../../http/pairing.ts';
import type { CommandContext } from '../../command-context.ts';
import { printLines, stderrOf } from '../../output/terminal.ts';

interface PairingOutput {
  readonly pairing: Pairing;
  readonly url: string;
  /** A phone can reach the address, so a code to scan is of use. */
  readonly withQr: boolean;
}

/** Prints an address with a fresh one-time code. It exists nowhere else: not in a file, not in a log. */
export function printPairing({ terminal }: CommandContext, { pairing, url, withQr }: PairingOutput): void {
  const { code } = pairing.create({ rights: 'answer', name: null });
  const address = `${url}#pair=${code}`;
  const output = stderrOf(terminal);
  printLines(output, ['', 'to pair a browser, open this address within two minutes (it works once):']);
  // Not wrapped: an address in two lines can't be copied.
  output.write(`  ${address}\n`);
  if (withQr) output.write(`\n${renderUnicodeCompact(address)}\n`);
}

/** On a terminal, Enter prints another code. Returns how to stop. */
export function printPairingOnEnter(context: CommandContext, output: PairingOutput): () => void {
  if (!context.terminal.interactive) return () => {};
  printLines(stderrOf(context.terminal), ['press Enter for another code, Ctrl-C to stop']);
  const onLine = () => printPairing(context, output);
  process.stdin.on('data', onLine);
  process.stdin.resume();
  return () => {
    process.stdin.off('data', onLine);
    process.stdin.pause();
  };
}
