import type { Blocker, Edit, PlannerDecision } from '../contracts/planner-decision.ts';
import type { RefinementPackage } from '../contracts/refinement-package.ts';

/**
 * The typed package for a step that refines, or null where the decision asks for no refinement. Every issue refers to
 * evidence: that of the blocker it comes from, or else the decision itself.
 */
export function refinementPackage(decision: PlannerDecision, decisionRef: string): RefinementPackage | null {
  const { fix_instructions: fix, blockers } = decision;
  if (decision.status !== 'partial' || fix === null) return null;
  const told = new Set<Blocker>();
  const edits = fix.edits.map((edit) => {
    const backing = blockers.filter((blocker) => concerns(blocker, edit));
    for (const blocker of backing) told.add(blocker);
    return {
      summary: edit.rationale,
      target: edit.target,
      action: edit.action,
      artifact_refs: refsOf(backing, decisionRef),
    };
  });
  const others = blockers
    .filter((blocker) => !told.has(blocker))
    .map((blocker) => ({
      summary: blocker.summary,
      target: null,
      action: `resolve ${blocker.code}`,
      artifact_refs: refsOf([blocker], decisionRef),
    }));
  return {
    objective: fix.objective,
    issues: [...edits, ...others],
    constraints: fix.constraints,
    verification: fix.verification,
  };
}

/** The rules name a case, a validator or a file in the code or the summary of what they found. */
function concerns({ code, summary }: Blocker, { target, rationale }: Edit): boolean {
  return (
    code.endsWith(`:${target}`) ||
    summary === rationale ||
    (code === 'false_claim' && summary.includes(target))
  );
}

function refsOf(blockers: readonly Blocker[], decisionRef: string): string[] {
  const refs = blockers.flatMap(({ evidence_ref: ref }) => (ref === null ? [] : [ref]));
  return refs.length === 0 ? [decisionRef] : [...new Set(refs)];
}
