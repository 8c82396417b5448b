import { readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { PlannerVector } from '../../../../contracts/planner/planner-vector.ts';
import { type Drift, driftOf, parseVector } from '../../../../planner/vector.ts';
import type { Planner } from '../../../../ports/planner.ts';
import { CliError } from '../../cli-error.ts';
import { printJson, type VerbContext } from '../../command-context.ts';
import { ensureTrust } from '../../driving/ensure-trust.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { readJson } from '../../given-text.ts';
import { openPlanner, openRecords } from '../../open.ts';
import { renderTable } from '../../output/table.ts';
import { printable } from '../../output/terminal.ts';
import { misfit } from './evaluate.ts';

/** Where a repository keeps its vectors. */
export const VECTORS_FOLDER = '.tnh/vectors';

interface VectorFile {
  readonly path: string;
  readonly vector: PlannerVector;
}

interface Checked extends VectorFile {
  readonly actual: string;
  readonly drift: readonly Drift[];
}

/** Judges every vector of a folder again and tells where the answer is not the expected one. */
export async function vectors(
  context: VerbContext,
  folder: string | null,
  plannerName: string | null,
): Promise<ExitCode> {
  const files = await readVectors(folder ?? (await repositoryFolder(context)));
  if (plannerName !== null && plannerName !== 'rules') await ensureTrust(context);
  const planner = await openPlanner(context, plannerName);
  const checked: Checked[] = [];
  for (const file of files) checked.push(await check(planner, file));
  const failed = checked.filter(({ drift }) => drift.length > 0).length;
  if (context.json) printDocument(context, planner.name, checked, failed);
  else printTable(context, planner.name, checked, failed);
  return failed === 0 ? EXIT.success : EXIT.failed;
}

async function repositoryFolder(context: VerbContext): Promise<string> {
  return join((await openRecords(context)).repoRoot, VECTORS_FOLDER);
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
  const files: VectorFile[] = [];
  for (const path of paths) files.push(await readVector(relative('.', path)));
  refuseTwins(files);
  return files;
}

async function readVector(path: string): Promise<VectorFile> {
  const parsed = parseVector(await readJson(path));
  if (!parsed.ok) throw misfit(path, 'a vector', 'planner-vector', parsed.problems);
  return { path, vector: parsed.vector };
}

function refuseTwins(files: readonly VectorFile[]): void {
  const seen = new Map<string, string>();
  for (const { path, vector } of files) {
    const twin = seen.get(vector.vector_id);
    if (twin !== undefined)
      throw new CliError(
        `the vector ${vector.vector_id} is in ${twin} and in ${path}`,
        'give each vector an id of its own',
      );
    seen.set(vector.vector_id, path);
  }
}

async function check(planner: Planner, file: VectorFile): Promise<Checked> {
  const { decision } = await planner.judge(file.vector.input, new AbortController().signal);
  return { ...file, actual: decision.status, drift: driftOf(file.vector, decision) };
}

function printDocument(context: VerbContext, planner: string, checked: readonly Checked[], failed: number) {
  printJson(context, {
    ok: failed === 0,
    planner,
    passed: checked.length - failed,
    failed,
    vectors: checked.map(({ path, vector, actual, drift }) => ({
      vector_id: vector.vector_id,
      path,
      ok: drift.length === 0,
      expected: vector.expected.status,
      actual,
      drift,
    })),
  });
}

function printTable(
  { terminal: { out, paintOut } }: VerbContext,
  planner: string,
  checked: readonly Checked[],
  failed: number,
): void {
  out(
    renderTable([
      [
        '',
        paintOut.bold('vector'),
        paintOut.bold('expected'),
        paintOut.bold('judged'),
        paintOut.bold('drift'),
      ],
      ...checked.map(({ vector, actual, drift }) => [
        drift.length === 0 ? paintOut.green('✓') : paintOut.red('✗'),
        printable(vector.vector_id),
        vector.expected.status,
        actual,
        printable(drift.map(driftText).join('; ')),
      ]),
    ]),
  );
  const count = `${checked.length} ${checked.length === 1 ? 'vector' : 'vectors'}`;
  out(`\n${count} by ${planner}: ${checked.length - failed} hold, ${failed} drift\n`);
}

function driftText({ field, expected, actual }: Drift): string {
  return field === 'status' ? 'status' : `${field}: expected ${expected}, got ${actual}`;
}
