import type { ReviewFinding } from '../contracts/planner/planner-input.ts';
import type { AgentResultFile } from '../contracts/run/agent-result.ts';
import { isWarning } from '../contracts/work/work-results.ts';
import { collapseSpace } from '../text/outside-text.ts';
import { readTail, tailProblem } from './tail.ts';

export interface Review {
  /** Null when the reviewer gave no usable verdict. */
  readonly verdict: 'approve' | 'needs-changes' | null;
  readonly summary: string | null;
  readonly findings: readonly ReviewFinding[];
  /** Why there is no verdict, as a message for the user. */
  readonly problem: string | null;
}

/**
 * The outcome of a review step, from its structured result alone. Prose is never searched for a verdict. `ignored`
 * is the reason why an existing result file doesn't count.
 */
export function readReview(
  result: AgentResultFile | null,
  finalResponse: string,
  ignored: string | null = null,
): Review {
  const own = result === null ? null : readStructured(result);
  const review = own ?? readStructured(readTail(finalResponse) ?? {});
  if (review !== null) return review;
  const invalid = tailProblem(finalResponse);
  const why = ignored ?? (invalid === null ? null : `the reviewer's result is invalid: ${invalid}`);
  return noVerdict(why ?? 'the reviewer gave no verdict');
}

function readStructured(result: AgentResultFile): Review | null {
  const { review, verdict, findings, blockers } = result;
  if (review !== undefined) {
    const listed = review.comments
      .filter((comment) => !isWarning(comment))
      .map(({ path, line, body }, index) => ({
        id: `f${index + 1}`,
        summary: collapseSpace(body),
        path,
        line,
      }));
    return checkVerdict(review.verdict, review.summary, listed);
  }
  if (verdict !== undefined || findings !== undefined) {
    const listed = (findings ?? []).map((finding, index) => ({
      ...finding,
      id: finding.id ?? `f${index + 1}`,
    }));
    return checkVerdict(verdict ?? deriveVerdict(listed), null, listed);
  }
  if (blockers === undefined) return null;
  const listed = blockers.map(({ code, summary }) => ({ id: code, summary }));
  return checkVerdict(deriveVerdict(listed), null, listed);
}

function deriveVerdict(findings: readonly unknown[]): 'approve' | 'needs-changes' {
  return findings.length === 0 ? 'approve' : 'needs-changes';
}

/** Rejects a verdict that contradicts its own findings: either of them may be the mistake. */
function checkVerdict(
  verdict: 'approve' | 'needs-changes',
  summary: string | null,
  findings: readonly ReviewFinding[],
): Review {
  if (verdict === deriveVerdict(findings)) return { verdict, summary, findings, problem: null };
  const problem =
    verdict === 'approve'
      ? `the reviewer approves but lists ${findings.length === 1 ? 'a finding' : `${findings.length} findings`}`
      : 'the reviewer requests changes but lists no finding';
  return { verdict: null, summary, findings, problem };
}

function noVerdict(problem: string): Review {
  return { verdict: null, summary: null, findings: [], problem };
}
