import type { PlannedWorkItem, PlannerResult } from '../../../src/contracts/work/work-results.ts';

export const TASK_BODY = `## Objective

Give the client a retry.

## Spec Reference

- Spec: \`docs/specs/retry.md\`
- Section(s): Limits, Errors

## Scope

### In Scope

- src/client.ts
- src/client.test.ts

### Out of Scope

- src/server.ts (owned by #12)

## Acceptance Criteria

- [ ] A failed request is sent again once
- [ ] Test: src/client.test.ts passes

## Context

The transport knows when a request failed.

## Constraints

No new dependency.
`;

export const REFINEMENT_BODY = `## Ambiguity

The spec does not say how often to retry.

## Spec Reference

- Spec: \`docs/specs/retry.md\`
- Section(s): Limits
- Quote: "retry a few times"

## Options

1. **Option A** — three times; slow when the service is down
2. **Option B** — once; fails more often

## Recommendation

Option B, because callers retry too.

## Blocked Tasks

The retry itself.
`;

export const TASK_LABELS = ['task:implement', 'status:pending', 'priority:high', 'complexity:low'];
export const REFINEMENT_LABELS = ['task:refinement', 'status:pending', 'priority:high'];

export function plannedItem(tempID: string, changes: Partial<PlannedWorkItem> = {}): PlannedWorkItem {
  return {
    tempID,
    title: `Item ${tempID}`,
    body: TASK_BODY,
    labels: TASK_LABELS,
    blockedBy: [],
    ...changes,
  };
}

export function plannerResult(changes: Partial<PlannerResult> = {}): PlannerResult {
  return { role: 'planner', create: [], close: [], update: [], ...changes };
}

export const BLOCKED_SUMMARY = `Type: spec-gap

Description: The spec does not say how often a request is retried.

Spec reference: docs/specs/retry.md, section "Limits": "retry a few times"

Options:
1. Three times. Slow when the service is down.
2. Once. Fails more often.

Recommendation: The second, because callers retry too.

Impact: The client can't be finished.
`;

/** A summary without one of its lines or blocks. */
export function blockedWithout(start: string): string {
  const rest = BLOCKED_SUMMARY.split('\n\n').filter((block) => !block.startsWith(start));
  return rest.join('\n\n');
}

export function implementorResult(changes: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return {
    role: 'implementor',
    outcome: 'completed',
    patch: 'diff --git a/a b/a\n',
    summary: 'Added a retry.',
    ...changes,
  };
}

export const FINDING = 'What: the retry has no limit. Why: "Limits" asks for one. Fix: stop after three.';

export function reviewerResult(verdict: string, bodies: readonly string[], summary = 'Looked at all of it.') {
  const comments = bodies.map((body, index) => ({ path: `src/${index}.ts`, line: null, body }));
  return { role: 'reviewer', review: { verdict, summary, comments } };
}

/** The codes of what a check found, in its order. */
export function codesOf(checked: {
  readonly ok: boolean;
  readonly problems?: readonly { readonly code: string }[];
}): string[] {
  return (checked.problems ?? []).map(({ code }) => code);
}
