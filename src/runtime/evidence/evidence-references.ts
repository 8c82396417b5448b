import {
  type RefinementPackage,
  refinementPackageSchema,
} from '../../contracts/planner/refinement-package.ts';
import { lastEnded } from '../record/run-view.ts';
import type { RunContext } from '../run-context.ts';
import { readReportFiles } from './report-files.ts';

/**
 * Resolves the references of a refinement package to paths that the agent can open: files of the record as absolute
 * paths, which are the same inside the sandbox, and files of the repository relative to the workspace. Reports and
 * reviewers may refer to missing files; such a reference is replaced by the decision itself.
 */
export async function openReferences(
  context: RunContext,
  refinement: RefinementPackage,
  decisionRef: string,
): Promise<RefinementPackage> {
  const copies = await capturedCopies(context);
  const known = new Map<string, string | null>();
  const open = async (ref: string): Promise<string | null> => {
    const found = known.get(ref);
    if (found !== undefined) return found;
    const path = await locate(context, ref, copies);
    known.set(ref, path);
    return path;
  };
  const issues: RefinementPackage['issues'] = [];
  for (const issue of refinement.issues) {
    const paths: string[] = [];
    for (const ref of issue.artifact_refs) {
      const path = (await open(ref)) ?? (await open(decisionRef));
      if (path !== null && !paths.includes(path)) paths.push(path);
    }
    issues.push({ ...issue, artifact_refs: paths });
  }
  return { ...refinement, issues };
}

/** The package as recorded: a run directory may be moved, so its files are named relative to it. */
export function recordedReferences({ directory }: RunContext, given: unknown): RefinementPackage | null {
  const parsed = refinementPackageSchema.safeParse(given);
  if (!parsed.success) return null;
  const start = `${directory.path}/`;
  const relative = (path: string) => (path.startsWith(start) ? path.slice(start.length) : path);
  const issues = parsed.data.issues.map((issue) => ({
    ...issue,
    artifact_refs: issue.artifact_refs.map(relative),
  }));
  return { ...parsed.data, issues };
}

/** Maps what a report refers to onto the copy that was captured. */
async function capturedCopies({ directory, view }: RunContext): Promise<ReadonlyMap<string, string>> {
  const validation = lastEnded(view().steps, 'RUN_VALIDATION');
  const reports = validation === null ? [] : await readReportFiles(directory, validation);
  return new Map(
    reports.flatMap(({ files }) => files.map(({ reference, path }) => [reference, path] as const)),
  );
}

async function locate(
  { directory, deps, workspace, view }: RunContext,
  ref: string,
  copies: ReadonlyMap<string, string>,
): Promise<string | null> {
  if (ref.trim() === '' || ref.startsWith('/') || ref.split('/').includes('..')) return null;
  for (const path of [copies.get(ref), ref]) {
    if (path !== undefined && (await directory.read(path, { firstBytes: 1 }).catch(() => null)) !== null)
      return directory.resolve(path);
  }
  const { started, state } = view();
  // Findings may name a line: `src/a.ts:12`.
  const file = ref.replace(/:\d+(?::\d+)?$/, '');
  const texts = await deps.workspace.readFiles(workspace, state.tree ?? started.base_tree, [file]);
  return typeof texts.get(file) === 'string' ? ref : null;
}
