import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { setTimeout as sleep } from 'node:timers/promises';
import { stepFolderOf } from '../../../../contracts/run/run-files.ts';
import { didYouMean } from '../../../../diagnostics/did-you-mean.ts';
import type { StepView } from '../../../../runtime/record/run-view.ts';
import { CliError } from '../../cli-error.ts';
import { printJson, type VerbContext } from '../../command-context.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { type OpenRun, openRun } from '../../open.ts';
import { entryName } from '../../output/progress.ts';
import { printable } from '../../output/terminal.ts';

const FOLLOW_MS = 200;
const CHUNK_BYTES = 64 * 1024;

/** What a running step writes: no manifest names these files until the step has ended. */
const LOG_FILE = /(?:(?:^|\/)transcript\.(?:txt|md)|\.stdout\.txt|\.stderr\.txt|(?:^|\/)stderr\.txt)$/;

const TRY_FOLDER = /^try@\d+$/;

export async function logs(
  context: VerbContext,
  wanted: string,
  stepId: string | null,
  follow: boolean,
): Promise<ExitCode> {
  let current = await openRun(context, wanted);
  if (stepId !== null) expectStep(current, stepId);
  if (context.json) {
    const files = await logFiles(current, stepId);
    printJson(context, {
      run_id: current.view.runId,
      logs: files.map(({ step, name, path }) => ({
        step_id: step.stepId,
        attempt: step.attempt,
        name,
        path,
      })),
    });
    return EXIT.success;
  }
  context.endWithReader();
  const printed = new Map<string, Printed>();
  for (;;) {
    const live = current.view.end === null && current.record.driverPid !== null;
    for (const file of await logFiles(current, stepId)) await printNew(context, file, printed);
    if (!follow || !live) return EXIT.success;
    await sleep(FOLLOW_MS);
    current = await openRun(context, current.view.runId);
  }
}

function expectStep({ view }: OpenRun, stepId: string): void {
  const known = [...new Set(view.steps.flatMap((step) => [step.stepId, entryName(step)]))];
  if (known.includes(stepId)) return;
  const near = didYouMean(stepId, known);
  throw new CliError(
    `run ${view.runId} has not entered a step "${stepId}"`,
    near === null ? `steps so far: ${known.join(', ')}` : `did you mean ${near}?`,
  );
}

interface LogFile {
  readonly step: StepView;
  readonly name: string;
  readonly path: string;
}

async function logFiles({ view, record }: OpenRun, stepId: string | null): Promise<LogFile[]> {
  const files: LogFile[] = [];
  for (const step of view.steps) {
    if (stepId !== null && stepId !== step.stepId && stepId !== entryName(step)) continue;
    const folder = record.directory.resolve(stepFolderOf(step.stepId, step.attempt));
    for (const name of await namesIn(folder))
      if (LOG_FILE.test(name)) files.push({ step, name, path: join(folder, name) });
  }
  return files;
}

/** The files of a step, then those of later tries of its agent or its validators. */
async function namesIn(folder: string): Promise<string[]> {
  const names = (await readdir(folder).catch((): string[] => [])).sort();
  const tries = names
    .filter((name) => TRY_FOLDER.test(name))
    .sort((one, other) => countOf(one) - countOf(other));
  const later: string[] = [];
  for (const name of tries)
    for (const inner of (await readdir(join(folder, name)).catch((): string[] => [])).sort())
      later.push(`${name}/${inner}`);
  return [...names, ...later];
}

function countOf(name: string): number {
  return Number(name.slice(name.indexOf('@') + 1));
}

interface Printed {
  at: number;
  /** Keeps the first bytes of a character until the rest has come. */
  readonly decoder: StringDecoder;
}

async function printNew(context: VerbContext, file: LogFile, printed: Map<string, Printed>): Promise<void> {
  const { terminal } = context;
  const handle = await open(file.path, 'r');
  try {
    const buffer = Buffer.alloc(CHUNK_BYTES);
    const state = printed.get(file.path) ?? { at: 0, decoder: new StringDecoder('utf8') };
    printed.set(file.path, state);
    for (;;) {
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, state.at);
      if (bytesRead === 0) break;
      if (state.at === 0) terminal.out(`${terminal.paintOut.bold(`── ${nameOf(file)}`)}\n`);
      terminal.out(printable(state.decoder.write(buffer.subarray(0, bytesRead))));
      state.at += bytesRead;
    }
  } finally {
    await handle.close();
  }
}

function nameOf({ step, name }: LogFile): string {
  return `${entryName(step)}  ${name}`;
}
