import { basename, extname, join, relative } from 'node:path';
import type { WorkflowPage, WorkflowsDocument } from '../../contracts/http/workflow-page.ts';
import { hasErrors } from '../../diagnostics/diagnostic.ts';
import type { Files } from '../../ports/project-files.ts';
import { isPathInside } from '../../text/paths.ts';
import { checkWorkflow } from '../../workflow/check-workflow.ts';
import type { CheckSetup } from '../opened.ts';
import { validateDocument, validationDocument } from '../validate-document.ts';
import { drawWorkflow } from './graph.ts';

type Origin = WorkflowsDocument['workflows'][number]['origin'];

/** The folders in which ids are looked up, nearest first. */
const ORIGINS: readonly Origin[] = ['repository', 'user', 'built_in'];

interface FoundWorkflow {
  readonly id: string;
  readonly path: string;
  readonly origin: Origin;
}

/** What the list and the page of workflows need of a repository. */
export interface WorkflowSources {
  readonly repoRoot: string;
  readonly setup: CheckSetup;
  readonly files: Pick<Files, 'list' | 'read' | 'realPath'>;
}

export async function listWorkflows(sources: WorkflowSources): Promise<WorkflowsDocument> {
  const seen = new Set<string>();
  const workflows: WorkflowsDocument['workflows'] = [];
  for (const found of await findWorkflows(sources)) {
    const bytes = await readSource(sources, found);
    const checked =
      bytes === null
        ? null
        : checkWorkflow({ name: found.path, bytes }, { ...sources.setup.context, names: null });
    workflows.push({
      id: found.id,
      path: shownPath(sources, found.path),
      origin: found.origin,
      description: checked?.plan?.description ?? '',
      ok: checked !== null && !hasErrors(checked.diagnostics),
      shadowed: seen.has(found.id),
    });
    seen.add(found.id);
  }
  return { workflows };
}

/** A workflow by its id, with its diagnostics, proofs and graph; null if there is none. */
export async function composeWorkflow(sources: WorkflowSources, id: string): Promise<WorkflowPage | null> {
  const found = (await findWorkflows(sources)).find((each) => each.id === id);
  const bytes = found === undefined ? null : await readSource(sources, found);
  if (found === undefined || bytes === null) return null;
  const page = await checkText(sources, shownPath(sources, found.path), bytes);
  return {
    ...page,
    id,
    origin: found.origin,
    commands: [`conductor run ${id}`, `conductor validate --prove ${page.path}`],
  };
}

/** The same for an edited text. Nothing is written. */
export function checkEdited(sources: WorkflowSources, source: string): Promise<WorkflowPage> {
  return checkText(sources, 'workflow.yaml', new TextEncoder().encode(source));
}

async function checkText(sources: WorkflowSources, path: string, bytes: Uint8Array): Promise<WorkflowPage> {
  const file = { path, absolutePath: join(sources.repoRoot, '.tnh', 'workflows', basename(path)), bytes };
  const caps = { agentRuns: null, wallMs: null, costUsd: null };
  const validated = await validateDocument(file, sources.setup, { prove: true, caps });
  const validation = validationDocument([validated]);
  return {
    id: null,
    path,
    origin: null,
    source: validated.text,
    ok: !hasErrors(validated.diagnostics),
    validation: validation as unknown as WorkflowPage['validation'],
    graph: validated.plan === null ? null : drawWorkflow(validated.plan),
    commands: [],
  };
}

/** Null if it can't be read, or is a link out of the repository: a clone must not choose which file of the machine is shown. */
async function readSource(
  { repoRoot, files }: WorkflowSources,
  { path, origin }: FoundWorkflow,
): Promise<Uint8Array | null> {
  if (origin === 'repository') {
    const real = await files.realPath(path).catch(() => null);
    if (real === null || !isPathInside(await files.realPath(repoRoot), real)) return null;
  }
  return files.read(path);
}

async function findWorkflows({ setup, files }: WorkflowSources): Promise<readonly FoundWorkflow[]> {
  const found: FoundWorkflow[] = [];
  for (const [at, folder] of setup.workflowFolders.entries()) {
    const names = await files.list(folder);
    for (const name of names.toSorted()) {
      const extension = extname(name);
      if (extension !== '.yaml' && extension !== '.yml') continue;
      found.push({
        id: basename(name, extension),
        path: join(folder, name),
        origin: ORIGINS[at] ?? 'built_in',
      });
    }
  }
  return found;
}

function shownPath({ repoRoot }: WorkflowSources, path: string): string {
  return path.startsWith(`${repoRoot}/`) ? relative(repoRoot, path) : path;
}
