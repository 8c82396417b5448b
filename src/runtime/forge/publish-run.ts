import * as z from 'zod';
import { ownValue } from '../../contracts/own-value.ts';
import type { EventDraft } from '../../contracts/run/event.ts';
import type { PullRequest } from '../../forge/forge-values.ts';
import { pullRequestBody, statusLine, statusState } from '../../overview/pull-request-body.ts';
import { maskSecrets } from '../../policy/secrets/secrets.ts';
import type { Forge } from '../../ports/forge/forge.ts';
import type { IntentJournal } from '../../ports/forge/intents.ts';
import type { ProjectForge } from '../../ports/forge/project-forge.ts';
import type { RunRecord } from '../../ports/run-store.ts';
import { createSummaryReader } from '../record/read-summary.ts';
import { type RunView, viewRun } from '../record/run-view.ts';
import { type PublishedPull, publishPull } from './publish-pull.ts';
import { isUnchanged } from './read-issue.ts';

export interface PublishRequest {
  readonly run: Pick<RunRecord, 'directory' | 'inbox' | 'events'>;
  readonly project: ProjectForge;
  readonly forge: Forge;
  /** The commit with the work. */
  readonly commit: string;
  readonly isDraft: boolean;
  /** Values that must not appear on the forge. */
  readonly secrets: readonly string[];
  readonly signal: AbortSignal;
}

export interface RunPublication extends PublishedPull {
  /** The event to record; null if the log has it already. */
  readonly event: EventDraft | null;
}

/** Publishes the recorded work of a run with its evidence. Can be repeated at any time. */
export async function publishRun(request: PublishRequest): Promise<RunPublication> {
  const { run, project, forge, commit, isDraft, secrets, signal } = request;
  const view = viewRun(run.events);
  const summary = await createSummaryReader()(run);
  if (view === null || summary === null) throw new Error(`run ${run.directory.runId} has no start`);
  const { started } = view;
  const branch = started.branch_name;
  const task = ownValue(started.inputs, 'task') ?? null;
  const { issue } = started;
  const facts =
    issue === undefined ? null : { number: issue.number, isUnchanged: await isUnchanged(forge, issue) };
  const body = pullRequestBody({ summary, task, issue: facts });
  const published = await publishPull(
    { forge, journal: project.journal(run.directory), push: project.push, signal },
    {
      runId: view.runId,
      title: started.title ?? started.workflow_id,
      body: maskSecrets(body, secrets),
      branch,
      commit,
      isDraft,
      status: { state: statusState(summary), description: statusLine(summary) },
    },
  );
  const { url } = published.pull;
  const payload = { url, branch, remote: published.repository.gitUrl };
  const event =
    view.published?.url === url ? null : { event_type: 'run_published' as const, step_id: null, payload };
  return { ...published, event };
}

/** What a gate has published for a review. */
const reviewedSchema = z.object({ commit: z.string(), tree: z.string() });
const REVIEWED = 'reviewed';

/** Remembers the commit that reviewers see. */
export function rememberReviewed(
  journal: IntentJournal,
  reviewed: z.infer<typeof reviewedSchema>,
): Promise<void> {
  return journal.finish(REVIEWED, reviewed);
}

/**
 * The commit of an ended run to publish. If reviewers saw the same files, it stays the commit that they saw: another one,
 * although it differs only in its message, would take their approval away. Null if the run changed nothing.
 */
export async function commitToPublish(journal: IntentJournal, view: RunView): Promise<string | null> {
  const { headSha, started, state } = view;
  if (headSha === null || headSha === started.base_sha) return null;
  const known = await journal.look(REVIEWED);
  const reviewed = reviewedSchema.safeParse(known.kind === 'finished' ? known.result : null);
  return reviewed.success && reviewed.data.tree === state.tree ? reviewed.data.commit : headSha;
}

/** Closes the pull request of a run, unless it is merged or closed already. Its branch stays. */
export async function closePull(forge: Forge, pull: PullRequest): Promise<PullRequest> {
  return pull.state === 'open' ? forge.pulls.update(pull.number, { state: 'closed' }) : pull;
}
