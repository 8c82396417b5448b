import { ForgeError } from '../../forge/forge-problem.ts';
import type { PullRequest } from '../../forge/forge-values.ts';
import type { ProjectForge } from '../../ports/forge/project-forge.ts';
import type { DrivenRun, DriveProblem } from '../../ports/run-store.ts';
import { findPull } from '../../runtime/forge/publish-pull.ts';
import { closePull, commitToPublish, publishRun as publish } from '../../runtime/forge/publish-run.ts';
import {
  deriveMetadata,
  deriveStatus,
  writeMetadata,
  writeStatus,
} from '../../runtime/record/derived-files.ts';
import { readRecordedPlan } from '../../runtime/record/recorded-run.ts';
import { viewRun } from '../../runtime/record/run-view.ts';
import type { OpenProject } from '../opened.ts';
import { UseCaseError } from '../use-case-error.ts';

export type PublishResult =
  | {
      readonly ok: true;
      readonly pull: PullRequest;
      readonly branch: string;
      readonly commit: string;
      /** The name of the repository, if it is not the one of the remote any more. */
      readonly repository: string;
    }
  | { readonly ok: false; readonly problem: DriveProblem };

/** Publishes the work of an ended run as a pull request, or updates the one that it has. */
export async function publishEndedRun(
  project: OpenProject,
  runId: string,
  options: { readonly isDraft: boolean | null; readonly signal: AbortSignal },
): Promise<PublishResult> {
  const own = expectForge(project);
  const driven = await project.store.drive(runId);
  if (!driven.ok) return driven;
  const { run } = driven;
  try {
    const commit = await expectWork(own, run);
    const { signal } = options;
    const forge = await own.open({ isForPerson: true, signal });
    const isDraft = options.isDraft ?? own.publish?.draft ?? true;
    const secrets = project.deps.project.secrets ?? [];
    const published = await publish({ run, project: own, forge, commit, isDraft, secrets, signal });
    if (published.event !== null) await recordPublished(project, run, published.event);
    const { pull, repository } = published;
    return { ok: true, pull, branch: pull.headRef, commit, repository: repository.fullName };
  } finally {
    await run.release({ kind: 'never' });
  }
}

/** Closes the pull request of a run. Null if it has none. */
export async function closePublishedRun(
  project: OpenProject,
  runId: string,
  signal: AbortSignal,
): Promise<PullRequest | null> {
  const own = expectForge(project);
  const read = await project.store.read(runId);
  const view = read.ok ? viewRun(read.run.events) : null;
  if (view === null || view.published === null) return null;
  const forge = await own.open({ isForPerson: true, signal });
  const repository = await forge.repository();
  const found = await findPull(forge, repository, { branch: view.started.branch_name, runId });
  return found === null ? null : closePull(forge, found);
}

/** A failure of the forge as an error for the user; anything else is passed on. */
export function explainForge(error: unknown): never {
  if (!(error instanceof ForgeError)) throw error;
  throw new UseCaseError(error.text.message, error.text.help, 'failed');
}

function expectForge({ deps }: OpenProject): ProjectForge {
  const { forge } = deps.project;
  if (forge === undefined) throw new Error('the project was opened without a forge');
  return forge;
}

async function expectWork(own: ProjectForge, { events, directory }: DrivenRun): Promise<string> {
  const view = viewRun(events);
  const { runId } = directory;
  if (view === null || view.end === null)
    throw new UseCaseError(
      `run ${runId} has not ended, so there is nothing to publish yet`,
      `conductor status ${runId} shows where it stands; a \`pull_request\` gate publishes before the end`,
      'failed',
    );
  const commit = await commitToPublish(own.journal(directory), view);
  if (commit === null)
    throw new UseCaseError(
      `run ${runId} changed no file, so there is nothing to publish`,
      `conductor show ${runId} shows what it did`,
      'failed',
    );
  return commit;
}

/** The derived files name the pull request, too. */
async function recordPublished(
  { deps, repoRoot }: OpenProject,
  run: DrivenRun,
  event: Parameters<DrivenRun['append']>[0][number],
): Promise<void> {
  const appended = await run.append([event]);
  const view = viewRun([...run.events, ...appended]);
  if (view === null) return;
  const { directory } = run;
  const recorded = await readRecordedPlan(directory, view);
  await writeStatus(directory, deriveStatus(view, recorded.ok ? recorded.plan : null, deps.clock.now()));
  await writeMetadata(directory, deriveMetadata(view, { repoRoot, artifactsRoot: directory.path }));
}
