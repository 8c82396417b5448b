import { isExpectedFailure } from '../../../contracts/expected-failure.ts';
import type { ChangedFileDocument, ChangesDocument } from '../../../contracts/http/changes-page.ts';
import { type DecidingFile, decidingFiles } from '../../../policy/files/deciding-files.ts';
import type { OpenFile } from '../../../ports/record-files.ts';
import type { PatchFile, RunObjects } from '../../../ports/run-objects.ts';
import { readManifest } from '../../../runtime/evidence/evidence.ts';
import { readGateRequest } from '../../../runtime/gates/gate-request.ts';
import { locateWorkspace } from '../../../runtime/record/recorded-run.ts';
import type { StepView } from '../../../runtime/record/run-view.ts';
import { showPath } from '../../../text/paths.ts';
import { attemptName, type OpenRun } from '../../runs/open-run.ts';
import { UseCaseError } from '../../use-case-error.ts';
import type { EvidenceTools } from './evidence-tools.ts';
import { isGenerated, languageOf } from './file-kinds.ts';
import type { PatchIndex, PatchSection } from './patch-index.ts';
import { readPatchLines } from './patch-lines.ts';

export interface ChangesRequest {
  /** The step whose change is wanted; null for the whole run. */
  readonly step: StepView | null;
  /** Globs of test files, from the configuration. */
  readonly tests: readonly string[] | null;
  /** To compute the change of a run that has not ended. */
  readonly objects: () => Promise<RunObjects>;
}

/** The files of a change, a page of them. */
export async function readChanges(
  run: OpenRun,
  tools: EvidenceTools,
  request: ChangesRequest,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<ChangesDocument> {
  const read = await withPatch(run, tools, request, async (_, index) => index);
  const index = typeof read === 'string' ? NO_CHANGES : read;
  const page = index.sections.slice(offset, offset + limit);
  const asking = await approvalPaths(run);
  const deciding = new Map(
    decidingFiles(
      page.map(({ change }) => change),
      request.tests,
      asking,
    ).map((each): [DecidingFile['change'], string] => [each.change, each.kind]),
  );
  return {
    run_id: run.view.runId,
    step: request.step === null ? null : attemptName(request.step),
    total: index.sections.length,
    offset,
    insertions: index.insertions,
    deletions: index.deletions,
    files: page.map((section) => ({
      ...describeFile(section),
      insertions: section.change.insertions,
      deletions: section.change.deletions,
      lines: section.lines,
      generated: isGenerated(section.change.path, section.sample),
      deciding: deciding.get(section.change) ?? null,
    })),
    problem: typeof read === 'string' ? read : index.problem,
  };
}

/** A range of the changed lines of one file; null if the change has no such file. `path` is as `readChanges` shows it. */
export async function readChangedFile(
  run: OpenRun,
  tools: EvidenceTools,
  request: ChangesRequest,
  { path, from, limit }: { readonly path: string; readonly from: number; readonly limit: number },
): Promise<ChangedFileDocument | null> {
  const read = await withPatch(run, tools, request, async (file, index) => {
    const section = index.sections.find(({ change }) => showPath(change.path) === path);
    return section === undefined
      ? null
      : { section, hunks: await readPatchLines(file, section, from, limit) };
  });
  if (typeof read === 'string') throw new UseCaseError(read, null, 'failed');
  if (read === null) return null;
  const { section, hunks } = read;
  return {
    run_id: run.view.runId,
    step: request.step === null ? null : attemptName(request.step),
    ...describeFile(section),
    language: languageOf(section.change.path),
    from,
    total_lines: section.lines,
    hunks: [...hunks],
  };
}

const NO_CHANGES: PatchIndex = { sections: [], insertions: 0, deletions: 0, problem: null };

function describeFile({ change }: PatchSection) {
  return {
    path: showPath(change.path),
    old_path: change.oldPath === null ? null : showPath(change.oldPath),
    status: change.status,
    binary: change.insertions === null,
  };
}

async function approvalPaths({ view, record }: OpenRun): Promise<ReadonlySet<string>> {
  const request = view.awaiting === null ? null : await readGateRequest(record.directory, view.awaiting);
  return new Set((request?.approvals ?? []).map(({ path }) => path));
}

/** A text says why there is no patch. */
async function withPatch<T>(
  run: OpenRun,
  { files, patches }: EvidenceTools,
  request: ChangesRequest,
  use: (file: OpenFile, index: PatchIndex) => Promise<T>,
): Promise<T | string> {
  const place = await locatePatch(run, request);
  if (typeof place === 'string') return place;
  const file = await files.open(place.folder, place.name);
  if (file === null) return 'the patch is missing in the record';
  try {
    return await use(file, await patches.read(file));
  } finally {
    await file.close();
  }
}

/** Where the patch is: in the evidence of the step, of the open gate or of the run's end; computed for all others. */
async function locatePatch(
  { view, record: { directory }, records }: OpenRun,
  { step, objects }: ChangesRequest,
): Promise<PatchFile | string> {
  const inRecord = (name: string): PatchFile => ({ folder: directory.path, name });
  const { awaiting } = view;
  const of = step ?? (awaiting === null ? null : { stepId: awaiting.stepId, attempt: awaiting.attempt });
  // Of a run as it was, the record may have what the step left later.
  if (step !== null && step.termination === null) return 'the step has not ended yet';
  if (of !== null) {
    const manifest = await readManifest(directory, of);
    const artifact = manifest?.artifacts.find(({ role }) => role === 'workspace_diff');
    if (artifact !== undefined) return inRecord(artifact.path);
    if (step !== null) return 'this step changes no files';
  }
  if (view.end !== null) return inRecord('diff.patch');
  const { started, state } = view;
  const tree = state.tree ?? started.base_tree;
  if (tree === started.base_tree) return 'the run has changed no files yet';
  try {
    const opened = await objects();
    const workspace = locateWorkspace(view, directory, {
      repoRoot: records.repoRoot,
      workspace: opened.workspace,
    });
    return await opened.writePatch(workspace, started.base_tree, tree);
  } catch (error) {
    if (!isExpectedFailure(error)) throw error;
    return `the change can't be computed: ${error.message}`;
  }
}
