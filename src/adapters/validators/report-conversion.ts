import { copyFile, mkdir, open, readFile, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { mergeReports } from '../../planner/merge-reports.ts';
import type { ProcessResult } from '../../ports/supervisor.ts';
import type { CapturedArtifact, HarnessReportCapture, ValidatorRequest } from '../../ports/validator.ts';
import type { ReportForm } from '../../reports/report-source.ts';
import { scriptWords } from '../../reports/script-words.ts';
import type { Invoked, Reading, TestResults } from '../../reports/test-results.ts';
import { isPathInside } from '../../text/paths.ts';
import type { Capture } from './artifact-capture.ts';
import type { Invocation } from './invocation.ts';
import { JOINED_REPORT, joinedReportPath, publishReport } from './published-report.ts';
import { reportName, reportSourceOf } from './report-declaration.ts';
import { readReportText } from './report-text.ts';
import { isOffLimits, type Roots, realPathOf } from './roots.ts';

/** Screenshots of the first failures are evidence; those of hundreds are only a burden. */
const ATTACHMENT_LIMIT = 200;
const ATTACHMENT_LIMIT_BYTES = 256 * 1024 * 1024;

interface AttachmentPlace {
  /** The evidence folder of the validator. */
  readonly folder: string;
  readonly roots: Roots;
  /** Base folders for relative names. */
  readonly bases: readonly string[];
}

/** Copies the files that a runner attached to its tests, except those outside of the run's folders. */
async function keepAttachments(
  named: readonly string[],
  place: AttachmentPlace,
): Promise<ReadonlyMap<string, CapturedArtifact>> {
  const kept = new Map<string, CapturedArtifact>();
  let bytes = 0;
  for (const name of new Set(named)) {
    const source = await attachmentOf(name, place);
    if (source === null) continue;
    bytes += source.bytes;
    if (kept.size >= ATTACHMENT_LIMIT || bytes > ATTACHMENT_LIMIT_BYTES) break;
    const copyName = `report-files/${kept.size + 1}-${basename(source.path)}`;
    const path = join(place.folder, copyName);
    await mkdir(join(place.folder, 'report-files'), { recursive: true });
    await copyFile(source.path, path);
    kept.set(name, { path, name: copyName, required: false });
  }
  return kept;
}

async function attachmentOf(
  name: string,
  { roots, bases }: AttachmentPlace,
): Promise<{ readonly path: string; readonly bytes: number } | null> {
  if (name.includes('\0')) return null;
  for (const base of bases) {
    const path = await realPathOf(resolve(base, name));
    if (path === null || isOffLimits(roots, path)) continue;
    const found = await stat(path).catch(() => null);
    if (found?.isFile() === true) return { path, bytes: found.size };
  }
  return null;
}

/** Limit for all files of one report together; each file has its own limit. */
const TOTAL_LIMIT_BYTES = 64 * 1024 * 1024;
const OUTPUT_TAIL_BYTES = 2_000;
const MANIFEST_LIMIT_BYTES = 1024 * 1024;
/** Formats that a runner prints, so that they may be truncated. */
const PRINTED_FORMS: readonly ReportForm[] = ['tap', 'go-json'];

type Readable = Extract<Reading, { ok: true }>;

interface ConversionContext {
  readonly request: ValidatorRequest;
  readonly invocation: Invocation;
  readonly ran: ProcessResult;
  readonly capture: Capture;
  readonly roots: Roots;
  readonly folder: string;
  readonly published: Map<string, string>;
}

/** Converts the validator's report into a harness report and stores it as if the validator had written it. */
export async function convertReport(context: ConversionContext): Promise<Capture> {
  const { capture, request } = context;
  const source = reportSourceOf(request.validator);
  if (source === null || source.kind === 'harness') return capture;
  // A missing file is reported already.
  if (source.path !== null && capture.toConvert.length === 0) return capture;
  const invoked = await invokedOf(context);
  const name = reportName(source);
  const read = await readAll(context, source.kind, name, invoked);
  if (!read.ok)
    return {
      ...capture,
      missing: [...capture.missing, name],
      problems: [...capture.problems, `report \`${read.name}\` ${read.why}`],
    };
  const stored = await store(context, read, invoked);
  return {
    ...capture,
    artifacts: [...capture.artifacts.filter(({ path }) => path !== stored.report.path), ...stored.artifacts],
    harnessReport: stored.report,
  };
}

/** The command as its author wrote it; for a script, with placeholders filled in and paths relative to its folder. */
async function invokedOf({ request, invocation }: ConversionContext): Promise<Invoked> {
  const { validator, place } = request;
  const { argv, cwd } = invocation;
  const command =
    validator.kind === 'command'
      ? validator.command
      : argv.map((word) => {
          if (word === process.execPath) return 'node';
          return word.startsWith(`${place.checkoutPath}/`) ? relative(cwd, word) : word;
        });
  return {
    // Options of a script are in package.json; they are needed to find the same test again.
    command: [...command, ...scriptWords(command, await textOf(join(cwd, 'package.json')))],
    folders: [...new Set([cwd, (await realPathOf(cwd)) ?? cwd])],
    goModule: /^module\s+"?([^\s"]+)/m.exec(await textOf(join(cwd, 'go.mod')))?.[1] ?? null,
  };
}

async function textOf(path: string): Promise<string> {
  const found = await stat(path).catch(() => null);
  if (found?.isFile() !== true || found.size > MANIFEST_LIMIT_BYTES) return '';
  return readFile(path, 'utf8').catch(() => '');
}

/** Reads all files; fails with the first one that can't be read. */
async function readAll(
  { ran, capture }: ConversionContext,
  form: ReportForm,
  name: string,
  invoked: Invoked,
): Promise<Readable | { readonly ok: false; readonly name: string; readonly why: string }> {
  // Loaded on demand: most validators declare no report.
  const { joinReadings, readTestReport } = await import('../../reports/convert.ts');
  const isPrinted = PRINTED_FORMS.includes(form);
  if (isPrinted && ran.stdout.cutBytes > 0)
    return { ok: false, name, why: `was cut off: ${ran.stdout.cutBytes} bytes of it were not kept` };
  const readings: Readable[] = [];
  let bytes = 0;
  for (const file of isPrinted ? [{ name, path: ran.stdout.path }] : capture.toConvert) {
    const content = await readReportText(file.path, isPrinted ? 'printed' : 'written');
    if (!content.ok) return { ...content, name: file.name };
    bytes += content.bytes;
    if (bytes > TOTAL_LIMIT_BYTES) return { ok: false, name, why: 'is larger than 64 MiB together' };
    const reading = readTestReport(form, content.text, invoked);
    if (!reading.ok) return { ...reading, name: file.name };
    readings.push(reading);
  }
  const joined = joinReadings(readings);
  return joined.ok ? joined : { ...joined, name };
}

async function store(
  context: ConversionContext,
  read: TestResults,
  invoked: Invoked,
): Promise<{ artifacts: readonly CapturedArtifact[]; report: HarnessReportCapture }> {
  const { composeReport } = await import('../../reports/compose-report.ts');
  const { request, ran, capture, roots, folder } = context;
  const { validator, place } = request;
  const named = read.results.flatMap(({ attachments }) => attachments);
  const kept = await keepAttachments(named, { folder, roots, bases: invoked.folders });
  const converted = composeReport(read, {
    suiteId: validator.id,
    generatedAt: new Date().toISOString(),
    command: validator.kind === 'command' ? validator.command : invoked.command,
    checkouts: [...new Set([place.checkoutPath, roots.checkout])],
    folder: folderOf(context),
    exitCode: ran.end.kind === 'exited' ? ran.end.exitCode : null,
    lastOutput: (await readOutputTail(ran.stderr.path)) || (await readOutputTail(ran.stdout.path)),
    durationMs: ran.durationMs,
    failedBefore: new Set(request.failedCases ?? []),
    referenceOf: (attachment) => {
      const copy = kept.get(attachment);
      return copy === undefined ? null : relative(place.runDir, copy.path);
    },
  });
  // A validator may write its own harness report next to the converted one; both count.
  const written = capture.harnessReport;
  const value = mergeReports(written === null ? [converted] : [converted, written.value]) ?? converted;
  const path = joinedReportPath(folder);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, `${JSON.stringify(value, null, 2)}\n`);
  await publishReport(path, context);
  return {
    artifacts: [...kept.values(), { path, name: JOINED_REPORT, required: false }],
    report: { path, value, proposals: written?.proposals ?? 0, converted: written === null },
  };
}

/** The folder of the validator, relative to the checkout if it is inside. */
function folderOf({ invocation, request }: ConversionContext): string {
  const { checkoutPath } = request.place;
  return isPathInside(checkoutPath, invocation.cwd) ? relative(checkoutPath, invocation.cwd) : invocation.cwd;
}

async function readOutputTail(path: string): Promise<string> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const length = Math.min(size, OUTPUT_TAIL_BYTES);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, size - length);
    return buffer.toString('utf8', 0, bytesRead).trim();
  } finally {
    await file.close();
  }
}
