import type { Blocker, Edit, PlannerDecision } from '../contracts/planner/planner-decision.ts';
import type { RefinementPackage } from '../contracts/planner/refinement-package.ts';

/**
 * The typed package for a refining step, or null if the decision asks for no refinement. Every issue refers to
 * evidence: that of its blocker, or else the decision itself.
 */
export function composeRefinementPackage(
  decision: PlannerDecision,
  decisionRef: string,
): RefinementPackage | null {
  const { fix_instructions: fix, blockers } = decision;
  if (decision.status !== 'partial' || fix === null) return null;
  const covered = new Set<Blocker>();
  const edits = fix.edits.map((edit) => {
    const backing = blockers.filter((blocker) => concerns(blocker, edit));
    for (const blocker of backing) covered.add(blocker);
    return {
      summary: edit.rationale,
      target: edit.target,
      action: edit.action,
      artifact_refs: collectEvidenceRefs(backing, decisionRef),
    };
  });
  const others = blockers
    .filter((blocker) => !covered.has(blocker))
    .map((blocker) => ({
      summary: blocker.summary,
      target: null,
      action: `resolve ${blocker.code}`,
      artifact_refs: collectEvidenceRefs([blocker], decisionRef),
    }));
  return {
    objective: fix.objective,
    issues: [...edits, ...others],
    constraints: fix.constraints,
    verification: fix.verification,
  };
}

/**
 * Whether a blocker is about the same case, validator or file as the edit: the rules put its name in the code or
 * the summary.
 */
function concerns({ code, summary }: Blocker, { target, rationale }: Edit): boolean {
  return (
    code.endsWith(`:${target}`) ||
    summary === rationale ||
    (code === 'false_claim' && summary.includes(target))
  );
}

function collectEvidenceRefs(blockers: readonly Blocker[], decisionRef: string): string[] {
  const refs = blockers.flatMap(({ evidence_ref: ref }) => (ref === null ? [] : [ref]));
  return refs.length === 0 ? [decisionRef] : [...new Set(refs)];
}
