import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import {
  type CheckedVectors,
  checkVectors,
  parseVectors,
  VECTORS_FOLDER,
  type VectorFile,
  vectorsDocument,
} from '../../../../app/planner/check-vectors.ts';
import { recordVector as makeVector } from '../../../../app/planner/record-vector.ts';
import type { Drift } from '../../../../planner/vector.ts';
import { formatCount } from '../../../../text/count-of.ts';
import { hasErrorCode } from '../../../../text/error-code.ts';
import { CliError } from '../../cli-error.ts';
import { type CommandContext, printJson } from '../../command-context.ts';
import { ensureTrust } from '../../driving/ensure-trust.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { readJson } from '../../input-text.ts';
import { openPlanner, openRecords, openRun } from '../../open.ts';
import { renderTable } from '../../output/table.ts';
import { printable, stdoutOf } from '../../output/terminal.ts';

/** Evaluates every vector of a folder again and reports which answers differ from the expected ones. */
export async function vectors(
  context: CommandContext,
  folder: string | null,
  plannerName: string | null,
): Promise<ExitCode> {
  const files = await readVectors(folder ?? join((await openRecords(context)).repoRoot, VECTORS_FOLDER));
  if (plannerName !== null && plannerName !== 'rules') await ensureTrust(context);
  const checked = await checkVectors(await openPlanner(context, plannerName), files);
  if (context.json) printJson(context, vectorsDocument(checked));
  else printTable(context, checked);
  return checked.failed === 0 ? EXIT.success : EXIT.failed;
}

async function readVectors(folder: string): Promise<readonly VectorFile[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => null);
  const shown = relative('.', folder) || '.';
  if (entries === null)
    throw new CliError(
      `there is no folder ${shown}`,
      'name a folder of vectors, or make one from a run: conductor vectors record RUN STEP',
    );
  const paths = entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.json'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  if (paths.length === 0)
    throw new CliError(`${shown} has no vectors`, 'a vector is a JSON file: conductor schema planner-vector');
  const files: { readonly path: string; readonly document: unknown }[] = [];
  for (const path of paths.map((each) => relative('.', each)))
    files.push({ path, document: await readJson(path) });
  return parseVectors(files);
}

function printTable(
  { terminal }: CommandContext,
  { planner, vectors: checked, failed }: CheckedVectors,
): void {
  const { write, paint, width } = stdoutOf(terminal);
  const heads = ['', ...['vector', 'expected', 'evaluated', 'difference'].map(paint.bold)];
  const rows = checked.map(({ vector, actual, drift }) => [
    drift.length === 0 ? paint.green('✓') : paint.red('✗'),
    printable(vector.vector_id),
    vector.expected.status,
    actual,
    printable(drift.map(describeDrift).join('; ')),
  ]);
  write(renderTable([heads, ...rows], '', { width }));
  const counts = `${checked.length - failed} as expected, ${failed} different`;
  write(`\n${formatCount(checked.length, 'vector')} by ${planner}: ${counts}\n`);
}

function describeDrift({ field, expected, actual }: Drift): string {
  return field === 'status' ? 'status' : `${field}: expected ${expected}, got ${actual}`;
}

/** Writes a vector that is made from an evaluation of a run. */
export async function recordVector(
  context: CommandContext,
  runRef: string,
  step: string,
  out: string | null,
): Promise<ExitCode> {
  const run = await openRun(context, runRef);
  const vector = await makeVector(run, step);
  const { vector_id: id } = vector;
  const path = out ?? join(run.records.repoRoot, VECTORS_FOLDER, `${id}.json`);
  await writeNew(path, `${JSON.stringify(vector, null, 2)}\n`);
  const shown = relative('.', path);
  if (context.json) printJson(context, { vector_id: id, path: shown, status: vector.expected.status });
  else context.terminal.out(`${shown}\n`);
  return EXIT.success;
}

/** Never overwrites a vector: a user may have edited its summary. */
async function writeNew(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  try {
    await writeFile(path, text, { flag: 'wx' });
  } catch (error) {
    if (!hasErrorCode(error, 'EEXIST')) throw error;
    throw new CliError(`${path} already exists`, 'remove it first, or name another file with --out');
  }
}
