import type { AgentResultFile } from '../contracts/agent-result.ts';
import type { ReviewFinding } from '../contracts/planner-input.ts';
import { isWarning } from '../contracts/work-results.ts';
import { collapseSpace } from '../text/outside-text.ts';
import { readTail, tailProblem } from './tail.ts';

export interface Review {
  /** Null when the reviewer gave none that can be used. */
  readonly verdict: 'approve' | 'needs-changes' | null;
  readonly summary: string | null;
  readonly findings: readonly ReviewFinding[];
  /** Why there is no verdict, for people. */
  readonly problem: string | null;
}

/**
 * What a review step came to, from its structured result alone. Prose is never read for a verdict, so a reviewer that
 * only talks has not given one. `ignored` is why a result file that was there does not count.
 */
export function reviewFrom(
  result: AgentResultFile | null,
  finalResponse: string,
  ignored: string | null = null,
): Review {
  const own = result === null ? null : structured(result);
  const told = own ?? structured(readTail(finalResponse) ?? {});
  if (told !== null) return told;
  const unfit = tailProblem(finalResponse);
  const why = ignored ?? (unfit === null ? null : `what the reviewer ended with does not fit: ${unfit}`);
  return nothing(why ?? 'the reviewer gave no verdict');
}

function structured(result: AgentResultFile): Review | null {
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
    return checked(review.verdict, review.summary, listed);
  }
  if (verdict !== undefined || findings !== undefined) {
    const listed = (findings ?? []).map((finding, index) => ({
      ...finding,
      id: finding.id ?? `f${index + 1}`,
    }));
    return checked(verdict ?? verdictOf(listed), null, listed);
  }
  if (blockers === undefined) return null;
  const listed = blockers.map(({ code, summary }) => ({ id: code, summary }));
  return checked(verdictOf(listed), null, listed);
}

function verdictOf(findings: readonly unknown[]): 'approve' | 'needs-changes' {
  return findings.length === 0 ? 'approve' : 'needs-changes';
}

/** A verdict that its own findings contradict is none: either half may be the slip. */
function checked(
  verdict: 'approve' | 'needs-changes',
  summary: string | null,
  findings: readonly ReviewFinding[],
): Review {
  if (verdict === verdictOf(findings)) return { verdict, summary, findings, problem: null };
  const problem =
    verdict === 'approve'
      ? `the reviewer approves and lists ${findings.length === 1 ? 'a finding' : `${findings.length} findings`}`
      : 'the reviewer wants changes and lists no finding';
  return { verdict: null, summary, findings, problem };
}

function nothing(problem: string): Review {
  return { verdict: null, summary: null, findings: [], problem };
}
