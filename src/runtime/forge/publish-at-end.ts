import { ForgeError } from '../../forge/forge-problem.ts';
import type { RunContext } from '../run-context.ts';
import { commitToPublish, publishRun } from './publish-run.ts';

/**
 * Publishes an ended run as the configuration says, and updates the pull request that a gate has opened. The run has ended:
 * nothing that the forge does changes its outcome, and `conductor pr` repeats what failed. Returns the reason of a failure.
 */
export async function publishAtEnd(context: RunContext): Promise<string | null> {
  const { deps, directory, signal } = context;
  const { forge: project, secrets = [] } = deps.project;
  const view = context.view();
  const { end, published } = view;
  if (project === undefined || project.publish === null || end === null) return null;
  const { when, draft } = project.publish;
  const isWanted = published !== null || when === 'end' || (when === 'success' && end.outcome === 'success');
  if (!isWanted) return null;
  try {
    const commit = await commitToPublish(project.journal(directory), view);
    if (commit === null) return null;
    const forge = await project.open({ isForPerson: false, signal });
    const { event } = await publishRun({
      run: { directory, inbox: context.run.inbox, events: context.events() },
      project,
      forge,
      commit,
      isDraft: draft,
      secrets,
      signal,
    });
    if (event !== null) await context.record([event]);
    return null;
  } catch (error) {
    if (signal.aborted) return 'the publication was interrupted';
    if (!(error instanceof ForgeError)) throw error;
    return error.message;
  }
}
