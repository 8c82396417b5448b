import type { ReviewRecord } from '../../contracts/work/work-event.ts';
import type { Pipeline, Revision } from '../../contracts/work/work-item.ts';
import type { ForgeChecks } from '../../forge/forge-values.ts';
import { formatMarker } from '../../forge/markers.ts';
import { fenceText, formatTitle } from './forge-text.ts';
import { type IssueContext, itemKey } from './item-issue.ts';

export interface PullPlan {
  readonly title: string;
  readonly body: string;
}

/** The pull request that shows a revision. Its merge closes the issue of the item. */
export function planPull(revision: Revision, context: IssueContext): PullPlan {
  const issue = context.numberOf(revision.workItemID);
  const stack = (revision.stackedOn ?? []).map(({ itemID }) => {
    const number = context.numberOf(itemID);
    return number === null ? `work item ${itemID}` : `#${number}`;
  });
  const parts = [
    ...(issue === null ? [] : [`Closes #${issue}`]),
    ...(stack.length === 0 ? [] : [`Built on the unmerged work for ${stack.join(', ')}: merge that first.`]),
    'Summary of the implementor:',
    fenceText(revision.body),
    [
      formatMarker('revision', itemKey(context.owner, revision.workItemID)),
      `<sub>Work item ${revision.workItemID} of conductor, commit ${revision.headSHA}.</sub>`,
    ].join('\n'),
  ];
  return {
    title: formatTitle(revision.title, `Work item ${revision.workItemID}`),
    body: parts.join('\n\n'),
  };
}

/** The text of a review that an agent wrote. */
export function formatReview({ review, revisionID, headSHA }: ReviewRecord, owner: string): string {
  const verdict = review.verdict === 'approve' ? 'approves commit' : 'asks for changes to commit';
  const comments = review.comments.map(
    ({ path, line, body }) => `${path}${line === null ? '' : `:${line}`}\n${body}`,
  );
  return [
    `conductor's reviewer ${verdict} ${headSHA}:`,
    fenceText([review.summary, ...comments].join('\n\n')),
    formatMarker('review', itemKey(owner, revisionID)),
  ].join('\n\n');
}

/** The summary of a run, as a comment on the issue of its item. */
export function formatSummary(runId: string, summary: string): string {
  return `Summary of run ${runId}:\n\n${fenceText(summary)}`;
}

/** A forge without checks for a repository reports none, as does one whose checks have not started. */
export const NO_CHECKS_MS = 10 * 60_000;

/** The pipeline of a revision; null while its checks are not over. `ageMs` is how long the forge has had the commit. */
export function readPipeline(checks: ForgeChecks, ageMs: number): Pipeline | null {
  const { state, names, url } = checks;
  switch (state) {
    case 'success':
      return { status: 'success', url, reason: null };
    case 'failure':
      return { status: 'failure', url, reason: `failed on the forge: ${names.join(', ')}` };
    case 'pending':
      return null;
    case 'none':
      return ageMs < NO_CHECKS_MS
        ? null
        : {
            status: 'failure',
            url,
            reason: `no check has reported on the commit for ${NO_CHECKS_MS / 60_000} minutes: add checks to the repository that run on pull requests`,
          };
  }
}
