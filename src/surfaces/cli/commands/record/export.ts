import { writeFile } from 'node:fs/promises';
import { type ExportedRun, exportRun, type SentRun, sendRuns } from '../../../../app/runs/export-run.ts';
import { OTLP_ENDPOINT_PATTERN } from '../../../../contracts/forms.ts';
import type { OtlpDocument } from '../../../../telemetry/otlp.ts';
import { hasErrorCode } from '../../../../text/error-code.ts';
import { messageOf } from '../../../../text/error-message.ts';
import { CliError } from '../../cli-error.ts';
import { type CommandContext, printJson } from '../../command-context.ts';
import { whileWatching } from '../../driving/watching.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { openRecords, openRunByRef } from '../../open.ts';
import { printable } from '../../output/terminal.ts';

export interface ExportOptions {
  readonly endpoint: string | null;
  readonly headersEnv: string | null;
  readonly payloads: boolean;
  /** What to write; an endpoint gets both. */
  readonly signal: OtlpDocument['signal'];
  readonly output: string | null;
}

/** Sends runs to an OTLP endpoint, or writes them as lines of JSON, in the file format of OpenTelemetry. */
export async function exportOtel(
  context: CommandContext,
  runRefs: readonly string[],
  options: ExportOptions,
): Promise<ExitCode> {
  checkOptions(options);
  const runs = await readRuns(context, runRefs, options.payloads);
  return options.endpoint === null
    ? writeRuns(context, runs, options)
    : sendToEndpoint(context, runs, options.endpoint, options);
}

function checkOptions({ endpoint, headersEnv, output, signal }: ExportOptions): void {
  if (endpoint === null && headersEnv !== null)
    throw new CliError('--headers-env is given without --endpoint', 'add --endpoint URL');
  if (endpoint !== null && (output !== null || signal === 'metrics'))
    throw new CliError(
      `--endpoint is given together with ${output === null ? '--metrics' : '--output'}`,
      'an endpoint gets traces and metrics; leave one of the two flags out',
    );
  if (endpoint !== null && !(OTLP_ENDPOINT_PATTERN.test(endpoint) && URL.canParse(endpoint)))
    throw new CliError(
      `--endpoint ${endpoint} is not the address of an OTLP receiver`,
      'write the base address without /v1/traces, such as http://127.0.0.1:4318',
    );
}

async function readRuns(
  context: CommandContext,
  runRefs: readonly string[],
  payloads: boolean,
): Promise<readonly ExportedRun[]> {
  const records = await openRecords(context);
  const runs = new Map<string, ExportedRun>();
  for (const ref of runRefs) {
    const open = await openRunByRef(records, ref);
    const run = await exportRun(open, { repoRoot: records.repoRoot, payloads });
    if (run === null)
      throw new CliError(
        `run ${open.view.runId} has not ended: its spans would end at the wrong time`,
        'export it when it has ended; conductor status shows what it waits for',
        EXIT.failed,
      );
    runs.set(run.runId, run);
  }
  return [...runs.values()];
}

async function writeRuns(
  context: CommandContext,
  runs: readonly ExportedRun[],
  { signal, output }: ExportOptions,
): Promise<ExitCode> {
  const bodies = runs.flatMap(({ documents }) =>
    documents.filter((each) => each.signal === signal).map(({ body }) => body),
  );
  const lines = bodies.map((body) => `${JSON.stringify(body)}\n`).join('');
  if (output !== null) await writeNew(output, lines);
  if (context.json) {
    const unsent = runs.map((run) => describe({ run, message: null }, false));
    printJson(context, { ok: true, runs: unsent, documents: output === null ? bodies : [] });
  } else if (output === null) context.terminal.out(lines);
  return EXIT.success;
}

async function writeNew(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text, { flag: 'wx' });
  } catch (error) {
    if (hasErrorCode(error, 'EEXIST'))
      throw new CliError(`${path} already exists`, 'name another file, or remove this one');
    throw new CliError(`${path} can't be written: ${messageOf(error)}`, 'name another file');
  }
}

async function sendToEndpoint(
  context: CommandContext,
  runs: readonly ExportedRun[],
  endpoint: string,
  { headersEnv, payloads }: ExportOptions,
): Promise<ExitCode> {
  const services = await context.services();
  const exporter = await services.openTelemetry({ endpoint, headers_env: headersEnv, payloads });
  const sent = await whileWatching((signal) => sendRuns(exporter, runs, signal));
  const ok = sent.every(({ message }) => message === null);
  if (context.json)
    printJson(context, {
      ok,
      runs: sent.map((each) => describe(each, each.message === null)),
      documents: [],
    });
  else for (const each of sent) printSent(context, each);
  return ok ? EXIT.success : EXIT.failed;
}

function describe({ run, message }: SentRun, sent: boolean) {
  return { run_id: run.runId, trace_id: run.traceId, sent, message };
}

function printSent({ terminal }: CommandContext, { run, message }: SentRun): void {
  terminal.out(
    message === null
      ? `${terminal.paintOut.green('✓')} run ${run.runId}: trace ${run.traceId}\n`
      : `${terminal.paintOut.red('✗')} run ${run.runId}: ${printable(message)}\n`,
  );
}
