import type { OutputDocument, OutputLine, OutputStream } from '../../../contracts/http/evidence-page.ts';
import { RUN_FOLDERS, stepFolderOf } from '../../../contracts/run/run-files.ts';
import type { StepView } from '../../../runtime/record/run-view.ts';
import { type AnsiStyle, PLAIN_STYLE, readAnsiLine } from '../../../text/ansi-spans.ts';
import { showPath } from '../../../text/paths.ts';
import { attemptName, type OpenRun } from '../../runs/open-run.ts';
import { isLog, tryOf } from '../../runs/read-logs.ts';
import type { EvidenceTools } from './evidence-tools.ts';
import type { LineRange } from './read-lines.ts';

/** A folder with evidence: of an attempt at a step, or of a setup or baseline. */
export interface EvidenceFolder {
  /** As in addresses: `fix@2`, `_setup`. */
  readonly key: string;
  /** Relative to the run directory. */
  readonly folder: string;
  /** Null for setup and baseline. */
  readonly step: StepView | null;
}

/** The folder that a key names; null if the run has not reached such a step. */
export function findEvidenceFolder({ view }: OpenRun, key: string): EvidenceFolder | null {
  const step = view.steps.findLast((each) => attemptName(each) === key);
  if (step !== undefined) return { key, folder: stepFolderOf(step.stepId, step.attempt), step };
  const [name = '', attempt = '1'] = key.split('@');
  const isOfRun = RUN_FOLDERS.some((folder) => folder === name) && /^[1-9]\d{0,5}$/.test(attempt);
  return isOfRun && (attempt !== '1' || key === name)
    ? { key, folder: stepFolderOf(name, Number(attempt)), step: null }
    : null;
}

interface FoundStream extends OutputStream {
  /** Relative to the run directory. */
  readonly path: string;
}

/** What programs printed in a step, while it runs too: no manifest lists these files until it has ended. */
export async function listStreams(
  { record: { directory } }: OpenRun,
  { files }: EvidenceTools,
  { folder }: EvidenceFolder,
): Promise<readonly FoundStream[]> {
  const found: FoundStream[] = [];
  for (const path of await directory.list(folder)) {
    const name = path.slice(folder.length + 1);
    const kind = streamOf(name);
    if (kind === null) continue;
    const file = await files.open(directory.path, path);
    if (file === null) continue;
    await file.close();
    found.push({ ...kind, name: showPath(name), size: file.bytes, path });
  }
  return found;
}

/** `tests.stdout.txt`, or `try@2/tests.stdout.txt` for a later try. */
const VALIDATOR_LOG = /^(?:try@\d+\/)?(.+)\.(stdout|stderr)\.txt$/;

function streamOf(name: string): Pick<OutputStream, 'stream' | 'validator'> | null {
  if (name === 'output.txt') return { stream: 'setup', validator: null };
  if (!isLog(name)) return null;
  const [, validator, stream] = VALIDATOR_LOG.exec(name) ?? [];
  if (validator !== undefined)
    return { stream: stream === 'stdout' ? 'stdout' : 'stderr', validator: showPath(validator) };
  return { stream: /(?:^|\/)stderr\.txt$/.test(name) ? 'stderr' : 'transcript', validator: null };
}

export interface OutputRequest {
  /** Null for the first one that the step has. */
  readonly stream: string | null;
  readonly validator: string | null;
  /** The file, if a stream has several: one for each try. */
  readonly name: string | null;
  /** The first line, from 1. */
  readonly line: number | 'end';
  readonly limit: number;
}

/** A range of lines of what a program printed; null if there is no such output. */
export async function readOutput(
  run: OpenRun,
  tools: EvidenceTools,
  place: EvidenceFolder,
  request: OutputRequest,
): Promise<OutputDocument | null> {
  const { stream, validator, name } = request;
  const streams = await listStreams(run, tools, place);
  const chosen = chooseStream(
    streams.filter(
      (each) =>
        (stream === null || each.stream === stream) &&
        (validator === null || each.validator === validator) &&
        (name === null || each.name === name),
    ),
  );
  const file = chosen === undefined ? null : await tools.files.open(run.record.directory.path, chosen.path);
  if (chosen === undefined || file === null) return null;
  try {
    const from = request.line === 'end' ? 'end' : request.line - 1;
    const range = await tools.lines.read(file, from, request.limit);
    return {
      run_id: run.view.runId,
      step: place.key,
      stream: chosen.stream,
      validator: chosen.validator,
      name: chosen.name,
      lines: toOutputLines(range),
      total_lines: range.total,
      counted_lines: range.counted,
      size: file.bytes,
      more: range.more,
      growing: place.step !== null && place.step.endedAt === null && run.view.end === null,
    };
  } finally {
    await file.close();
  }
}

const BY_INTEREST: readonly OutputStream['stream'][] = ['transcript', 'stdout', 'setup', 'stderr'];

/** Of the last try, which is the one that counts; first what a reader wants to see first. */
function chooseStream(streams: readonly FoundStream[]): FoundStream | undefined {
  const last = streams.reduce((most, { name }) => Math.max(most, tryOf(name)), 0);
  const ofLast = streams.filter(({ name }) => tryOf(name) === last);
  return BY_INTEREST.flatMap((stream) => ofLast.filter((each) => each.stream === stream))[0];
}

function toOutputLines({ first, lines }: LineRange): OutputLine[] {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let style: AnsiStyle = PLAIN_STYLE;
  return lines.map(({ bytes, cutBytes }, at) => {
    const read = readAnsiLine(decoder.decode(bytes), style);
    style = read.style;
    return {
      n: first < 0 ? first + at : first + at + 1,
      spans: [...read.spans],
      ...(read.overwritten === 0 ? {} : { overwritten: read.overwritten }),
      ...(cutBytes === 0 ? {} : { cut: cutBytes }),
    };
  });
}
