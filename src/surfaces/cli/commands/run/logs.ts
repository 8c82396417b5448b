import { open } from 'node:fs/promises';
import { StringDecoder } from 'node:string_decoder';
import { setTimeout as sleep } from 'node:timers/promises';
import { attemptName } from '../../../../app/runs/open-run.ts';
import { expectStep, type LogFile, listLogs, logsDocument } from '../../../../app/runs/read-logs.ts';
import { type CommandContext, printJson } from '../../command-context.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { openRun } from '../../open.ts';
import { printable } from '../../output/terminal.ts';

const FOLLOW_MS = 200;
const CHUNK_BYTES = 64 * 1024;

export async function logs(
  context: CommandContext,
  runRef: string,
  step: string | null,
  follow: boolean,
): Promise<ExitCode> {
  let current = await openRun(context, runRef);
  if (step !== null) expectStep(current, step);
  if (context.json) {
    printJson(context, logsDocument(current, await listLogs(current, step)));
    return EXIT.success;
  }
  context.endWithReader();
  const printed = new Map<string, Printed>();
  for (;;) {
    const live = current.view.end === null && current.record.driver !== null;
    for (const file of await listLogs(current, step)) await printNew(context, file, printed);
    if (!follow || !live) return EXIT.success;
    await sleep(FOLLOW_MS);
    current = await openRun(context, current.view.runId);
  }
}

interface Printed {
  at: number;
  /** Keeps the bytes of an incomplete character until the rest is read. */
  readonly decoder: StringDecoder;
}

async function printNew(
  context: CommandContext,
  file: LogFile,
  printed: Map<string, Printed>,
): Promise<void> {
  const { terminal } = context;
  const handle = await open(file.path, 'r');
  try {
    const buffer = Buffer.alloc(CHUNK_BYTES);
    const state = printed.get(file.path) ?? { at: 0, decoder: new StringDecoder('utf8') };
    printed.set(file.path, state);
    for (;;) {
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, state.at);
      if (bytesRead === 0) break;
      if (state.at === 0)
        terminal.out(`${terminal.paintOut.bold(`── ${attemptName(file.step)}  ${file.name}`)}\n`);
      terminal.out(printable(state.decoder.write(buffer.subarray(0, bytesRead))));
      state.at += bytesRead;
    }
  } finally {
    await handle.close();
  }
}
