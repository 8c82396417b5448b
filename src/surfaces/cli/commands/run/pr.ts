import { closePublishedRun, explainForge, publishEndedRun } from '../../../../app/runs/publish-run.ts';
import { resolveRunId } from '../../../../app/runs/resolve-run.ts';
import type { PullRequest } from '../../../../forge/forge-values.ts';
import { createUnabortedSignal } from '../../../../runtime/never-aborted.ts';
import { CliError } from '../../cli-error.ts';
import { type CommandContext, printJson } from '../../command-context.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { openProject } from '../../open.ts';
import { printable, printLines, stderrOf, stdoutOf } from '../../output/terminal.ts';
import { resumeError } from './resume.ts';

export interface PrOptions {
  /** Null for the configured value. */
  readonly draft: boolean | null;
}

/** Publishes the work of a run as a pull request. The address is the only line on stdout. */
export async function pr(context: CommandContext, runRef: string, { draft }: PrOptions): Promise<ExitCode> {
  const project = await openProject(context);
  const runId = await resolveRunId(project, runRef);
  const options = { isDraft: draft, signal: createUnabortedSignal() };
  const published = await publishEndedRun(project, runId, options).catch(explainForge);
  if (!published.ok) throw resumeError(runId, published.problem);
  const { pull, commit, repository } = published;
  if (context.json) printJson(context, { ...pullDocument(runId, pull), commit, repository });
  else {
    printLines(stdoutOf(context.terminal), [pull.url]);
    const at = `${printable(pull.headRef)} at ${commit.slice(0, 12)}`;
    printLines(stderrOf(context.terminal), [
      `pull request #${pull.number} of ${printable(repository)} (${stateOf(pull)}): ${at}`,
    ]);
  }
  return EXIT.success;
}

/** Closes the pull request of a run. Its branch and the run stay as they are. */
export async function closePr(context: CommandContext, runRef: string): Promise<ExitCode> {
  const project = await openProject(context);
  const runId = await resolveRunId(project, runRef);
  const pull = await closePublishedRun(project, runId, createUnabortedSignal()).catch(explainForge);
  if (pull === null)
    throw new CliError(`run ${runId} has no pull request`, `conductor pr ${runId} opens one`, EXIT.failed);
  if (pull.state === 'merged')
    throw new CliError(
      `pull request #${pull.number} of run ${runId} is merged, so it can't be closed`,
      'revert the merge on the forge, or with git revert',
      EXIT.failed,
    );
  if (context.json) printJson(context, pullDocument(runId, pull));
  else printLines(stdoutOf(context.terminal), [`closed ${pull.url}`]);
  return EXIT.success;
}

function pullDocument(runId: string, pull: PullRequest) {
  const { number, url, state, isDraft: draft, headRef: branch } = pull;
  return { run_id: runId, url, number, state, draft, branch };
}

function stateOf({ state, isDraft }: PullRequest): string {
  return state === 'open' && isDraft ? 'draft' : state;
}
