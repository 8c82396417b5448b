import { isDeepStrictEqual } from 'node:util';
import { type Metadata, metadataSchema, type Status, statusSchema } from '../../contracts/run/run-files.ts';
import type { Plan } from '../../kernel/plan.ts';
import { isJsonObject, parseJson } from '../../text/json.ts';
import { toJson } from '../json.ts';
import { deriveFinalState, deriveMetadata, deriveStatus } from '../record/derived-files.ts';
import { createRunViewer } from '../record/run-view.ts';
import { lineOf, problemIn, type VerifyContext, type VerifyProblem } from './verify-context.ts';

export interface DerivedFindings {
  readonly problems: readonly VerifyProblem[];
  readonly notes: readonly string[];
}

type Derived = Omit<VerifyContext, 'artifacts'>;

/**
 * Checks that the derived files agree with the fold over the events. For a run that has not ended they may be behind,
 * because a killed process could not write them any more.
 */
export async function verifyDerived(context: Derived, plan: Plan | null): Promise<DerivedFindings> {
  if (context.driven)
    return { problems: [], notes: ['a process drives the run, so its derived files were not compared'] };
  const all = [
    await verifyMetadata(context),
    await verifyStatus(context, plan),
    await verifyFinalState(context),
  ];
  const finalFiles = await verifyFinalFiles(context);
  const problems = all.flatMap(({ problems: found }) => found);
  const notes = all.flatMap(({ notes: found }) => found);
  return {
    problems: [...finalFiles, ...problems],
    notes: problems.length === 0 ? notes : [...notes, WRITTEN_AGAIN],
  };
}

function singleProblem(path: string, message: string): DerivedFindings {
  return { problems: [problemIn(path, message)], notes: [] };
}

const WRITTEN_AGAIN =
  'conductor resume writes metadata.json, status.json and final-state.txt again from the log';

const NO_PROBLEMS: DerivedFindings = { problems: [], notes: [] };

async function readText({ directory, files }: Derived, path: string): Promise<string | null> {
  return files.has(path) ? directory.read(path) : null;
}

async function verifyMetadata(context: Derived): Promise<DerivedFindings> {
  const { view, directory } = context;
  const path = 'metadata.json';
  const text = await readText(context, path);
  if (text === null) return singleProblem(path, 'is missing, or is no file');
  const value = parseJson(text);
  const parsed = metadataSchema.safeParse(value);
  if (!parsed.success || toJson(value) !== text) return singleProblem(path, 'is not as it was written');
  const actual = parsed.data;
  // The locations of the repository and the run aren't in the events, since both may be moved.
  const place = { repoRoot: actual.workspace.repo_root, artifactsRoot: actual.artifacts_root };
  const expected = comparablePr(deriveMetadata(view, place), actual);
  const message = difference(
    comparablePart(expected, view.end !== null),
    comparablePart(actual, view.end !== null),
  );
  if (message !== null) return singleProblem(path, message);
  if (!actual.artifacts_root.endsWith(`/${view.runId}`))
    return singleProblem(path, 'names a run directory of another run');
  const moved = actual.artifacts_root !== directory.path;
  return { problems: [], notes: moved ? [`the run was recorded at ${actual.artifacts_root}`] : [] };
}

/** Earlier versions did not write `pr_url`, and a process can die between publishing and writing it. */
function comparablePr<T extends { readonly pr_url?: string | undefined }>(expected: T, actual: T): T {
  if (actual.pr_url !== undefined) return expected;
  const { pr_url: _url, ...rest } = expected;
  return rest as T;
}

/** Before the end, metadata.json contains only what was known at the start or at the last gate. */
function comparablePart(metadata: Metadata, ended: boolean): Partial<Metadata> {
  if (ended) return metadata;
  const { started_at: _at, last_step_id: _step, usage: _usage, ...rest } = metadata;
  return rest;
}

async function verifyStatus(context: Derived, plan: Plan | null): Promise<DerivedFindings> {
  const { view, events } = context;
  const path = 'status.json';
  const text = await readText(context, path);
  if (text === null) return singleProblem(path, 'is missing, or is no file');
  const value = parseJson(text);
  const parsed = statusSchema.safeParse(value);
  if (!parsed.success || toJson(value) !== text) return singleProblem(path, 'is not as it was written');
  const actual = parsed.data;
  const writtenAt = new Date(actual.updated_at);
  if (Number.isNaN(writtenAt.getTime())) return singleProblem(path, 'has no time at which it was written');
  // Without the workflow, the number of refinements is unknown.
  const comparable = (status: Status): Status => (plan === null ? { ...status, refinement: null } : status);
  const message = difference(
    comparablePr(comparable(deriveStatus(view, plan, writtenAt)), actual),
    comparable(actual),
  );
  if (message === null) return NO_PROBLEMS;
  if (view.end !== null) return singleProblem(path, message);
  const viewer = createRunViewer();
  for (const [index, event] of events.entries()) {
    viewer.add(event);
    const earlier = viewer.current();
    if (
      earlier === null ||
      difference(
        comparablePr(comparable(deriveStatus(earlier, plan, writtenAt)), actual),
        comparable(actual),
      ) !== null
    )
      continue;
    const behind = events.length - index - 1;
    return {
      problems: [],
      notes: [`status.json is ${behind} events behind; conductor resume writes it again`],
    };
  }
  return singleProblem(path, message);
}

async function verifyFinalState(context: Derived): Promise<DerivedFindings> {
  const path = 'final-state.txt';
  const expected = deriveFinalState(context.view);
  const actual = await readText(context, path);
  if (actual === expected) return NO_PROBLEMS;
  if (actual === null) return singleProblem(path, 'is missing, or is no file');
  if (expected === null) return singleProblem(path, 'exists although the run has not ended');
  return singleProblem(
    path,
    `says ${JSON.stringify(actual.trim())} where the events say "${expected.trim()}"`,
  );
}

/** Checks the patch and the transcript of the whole run against the run's last event. */
async function verifyFinalFiles({ events, directory, files }: Derived): Promise<readonly VerifyProblem[]> {
  const problems: VerifyProblem[] = [];
  for (const event of events) {
    if (event.event_type !== 'run_completed') continue;
    for (const { path, sha256 } of event.payload.files ?? []) {
      const found = files.has(path) ? await directory.digest(directory.resolve(path)) : null;
      if (found === null) problems.push(problemIn(path, 'is missing, or is no file'));
      else if (found.sha256 !== sha256)
        problems.push(problemIn(path, `does not have the sha256 of events.ndjson line ${lineOf(event)}`));
    }
  }
  return problems;
}

/** Describes the first key that differs. */
function difference(expected: object, actual: object, prefix = ''): string | null {
  const others = new Map<string, unknown>(Object.entries(actual));
  for (const [key, value] of Object.entries(expected)) {
    const other = others.get(key);
    if (isDeepStrictEqual(value, other)) continue;
    const name = `${prefix}${key}`;
    if (isJsonObject(value) && isJsonObject(other)) return difference(value, other, `${name}.`);
    return `says ${name} ${JSON.stringify(other)} where the events say ${JSON.stringify(value)}`;
  }
  const extra = Object.keys(actual).find((key) => !Object.hasOwn(expected, key));
  return extra === undefined ? null : `says ${prefix}${extra}, of which the events say nothing`;
}
