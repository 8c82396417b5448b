import type { AnswerOrigin } from '../../contracts/run/answer-origin.ts';
import { typedFeedbackOf } from '../../contracts/run/typed-feedback.ts';
import { ForgeError } from '../../forge/forge-problem.ts';
import type { ForgeUser } from '../../forge/forge-values.ts';
import {
  decidingReviews,
  judgeReviews,
  type ReviewFacts,
  type ReviewVerdict,
} from '../../forge/judge-reviews.ts';
import type { Forge } from '../../ports/forge/forge.ts';
import type { ProjectForge } from '../../ports/forge/project-forge.ts';
import { publishWork } from '../effects/publish-work.ts';
import { bindApproval } from '../gates/approval.ts';
import { submitAnswer } from '../gates/open-gates.ts';
import type { AwaitingView } from '../record/run-view.ts';
import type { RunContext } from '../run-context.ts';
import { publishRun, rememberReviewed } from './publish-run.ts';

/** The label of a gate that takes its answer from a review of the run's pull request. */
export const REVIEW_GATE = 'pull_request';

/** How often the forge is asked; what has not changed costs nothing of the rate limit. */
const POLL_MS = 30_000;
/** The pause after a failure of the forge. */
const RETRY_MS = 60_000;

/** Publishes the work that a gate shows, and posts the review of a person as the gate's answer. */
export interface ReviewGate {
  /** Asks the forge if it is time to. A failure of the forge is recorded and never fails the run. */
  readonly poll: () => Promise<void>;
}

interface Connected {
  readonly forge: Forge;
  readonly self: ForgeUser;
  readonly number: number;
  readonly commit: string;
}

/** Null for other gates, and if the configuration does not publish: then the gate is answered like any other. */
export function createReviewGate(context: RunContext, awaiting: AwaitingView): ReviewGate | null {
  const project = context.deps.project.forge;
  if (awaiting.gate !== REVIEW_GATE || project === undefined || project.publish === null) return null;
  const { clock } = context.deps;
  let connected: Connected | null = null;
  let notBeforeMs = 0;
  let noted: string | null = null;
  const note = async (text: string | null) => {
    if (text === noted) return;
    noted = text;
    if (text !== null)
      await context.record([
        { event_type: 'status_updated', step_id: awaiting.stepId, payload: { note: text } },
      ]);
  };
  return {
    poll: async () => {
      const nowMs = clock.now().getTime();
      if (nowMs < notBeforeMs) return;
      try {
        connected ??= await publishForReview(context, project, awaiting);
        const verdict = await readVerdict(connected, awaiting);
        if (verdict.kind === 'answered')
          await postAnswer(context, project, awaiting, connected.forge, verdict);
        notBeforeMs = nowMs + POLL_MS;
        await note(
          verdict.kind === 'moved'
            ? `the branch of the pull request was moved to ${verdict.headSha.slice(0, 12)}, which the gate did not show: no review counts`
            : null,
        );
      } catch (error) {
        if (context.signal.aborted) return;
        if (!(error instanceof ForgeError)) throw error;
        const { problem } = error;
        notBeforeMs = problem.kind === 'parked' ? Date.parse(problem.until) : nowMs + RETRY_MS;
        await note(`the pull request can't be read or published: ${error.message}`);
      }
    },
  };
}

/** Publishes once for each request of a gate: afterwards a closed pull request is an answer, and no obstacle. */
async function publishForReview(
  context: RunContext,
  project: ProjectForge,
  awaiting: AwaitingView,
): Promise<Connected> {
  const { deps, directory, signal } = context;
  const forge = await project.open({ isForPerson: false, signal });
  const { commit } = await publishWork(context, awaiting.stepId, awaiting.tree, 'waiting');
  const journal = project.journal(directory);
  const key = `gate/${awaiting.request_sha256}`;
  const before = await journal.look(key);
  if (before.kind === 'finished' && typeof before.result === 'number')
    return { forge, self: await forge.self(), number: before.result, commit };
  const { pull, self, event } = await publishRun({
    run: { directory, inbox: context.run.inbox, events: context.events() },
    project,
    forge,
    commit,
    isDraft: project.publish?.draft ?? true,
    secrets: deps.project.secrets ?? [],
    signal,
  });
  if (event !== null) await context.record([event]);
  await rememberReviewed(journal, { commit, tree: awaiting.tree });
  await journal.finish(key, pull.number);
  return { forge, self, number: pull.number, commit };
}

async function readVerdict(
  { forge, self, number, commit }: Connected,
  { approvers }: AwaitingView,
): Promise<ReviewVerdict> {
  const facts: ReviewFacts = {
    pull: await forge.pulls.get(number),
    commit,
    self,
    reviews: await forge.pulls.reviews(number),
    comments: await forge.pulls.reviewComments(number),
  };
  const mayAnswer = new Set<number>();
  for (const { author } of decidingReviews(facts)) {
    const isApprover = approvers.length === 0 || approvers.includes(author.login);
    if (isApprover && (await forge.canWrite(author))) mayAnswer.add(author.id);
  }
  return judgeReviews(facts, mayAnswer);
}

async function postAnswer(
  { directory, run, view }: RunContext,
  project: ProjectForge,
  awaiting: AwaitingView,
  { name, host }: Forge,
  { answer, by, comment, lines }: Extract<ReviewVerdict, { kind: 'answered' }>,
): Promise<void> {
  const { origin } = await project.answerer();
  const account = by === null ? { host } : { host, id: by.id, login: by.login };
  const from: AnswerOrigin = { ...origin, terminal: null, session: null, account };
  const binding = await bindApproval(directory, view(), awaiting);
  const now = await run.inbox.now();
  await submitAnswer(run.inbox, awaiting, {
    answer,
    by: by?.login ?? name,
    comment,
    answered_at: now.toISOString(),
    from,
    ...typedFeedbackOf(lines.length === 0 ? {} : { lines: [...lines] }),
    request_sha256: awaiting.request_sha256,
    tree: awaiting.tree,
    workflow_digest: binding.ok ? binding.bound.workflowDigest : null,
    evidence: binding.ok ? [...binding.bound.evidence] : null,
  });
}
