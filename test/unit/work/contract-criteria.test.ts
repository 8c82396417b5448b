import { describe, expect, it } from 'vitest';
import { checkImplementorResult } from '../../../src/work/results/implementor-result.ts';
import { checkPlannerResult } from '../../../src/work/results/planner-result.ts';
import { checkReviewerResult } from '../../../src/work/results/reviewer-result.ts';
import {
  BLOCKED_SUMMARY,
  blockedWithout,
  codesOf,
  FINDING,
  implementorResult,
  plannedItem,
  plannerResult,
  REFINEMENT_BODY,
  REFINEMENT_LABELS,
  reviewerResult,
  TASK_LABELS,
} from './work-fixtures.ts';

const planned = (...create: ReturnType<typeof plannedItem>[]) =>
  codesOf(checkPlannerResult(plannerResult({ create }), { items: [] }));
const implemented = (changes: Readonly<Record<string, unknown>>) =>
  codesOf(checkImplementorResult(implementorResult(changes)));
const blocked = (summary: string) => implemented({ outcome: 'blocked', patch: null, summary });
const failed = (summary: string) => implemented({ outcome: 'validation-failure', patch: null, summary });
const reviewed = (verdict: string, ...bodies: string[]) =>
  codesOf(checkReviewerResult(reviewerResult(verdict, bodies)));

/** Named by the acceptance criteria of the contract, word for word. */
describe('Structured Output Formats', () => {
  it('Given a `PlannerResult`, when inspected, then every `PlannedWorkItem` in `create` has a unique `tempID` within the result.', () => {
    expect(planned(plannedItem('a'), plannedItem('b'))).toEqual([]);
    expect(planned(plannedItem('a'), plannedItem('b'), plannedItem('a'))).toEqual(['WR102']);
  });

  it('Given a `PlannerResult`, when inspected, then every `PlannedWorkItem.body` follows the Task Issue Template or Refinement Issue Template structure.', () => {
    expect(planned(plannedItem('a'))).toEqual([]);
    expect(planned(plannedItem('a', { body: REFINEMENT_BODY, labels: REFINEMENT_LABELS }))).toEqual([]);
    expect(planned(plannedItem('a', { body: 'Just do it.' }))).toEqual(['WR401']);
  });

  it('Given a `PlannerResult` from a gate-failure-only or idempotent no-op run, when inspected, then all arrays are empty.', () => {
    const nothing = { role: 'planner', create: [], close: [], update: [] };
    expect(checkPlannerResult(nothing, { items: [] })).toEqual({ ok: true, result: nothing });
    for (const key of ['create', 'close', 'update']) {
      const { [key]: _, ...without } = nothing as Record<string, unknown>;
      expect(codesOf(checkPlannerResult(without, { items: [] }))).toEqual(['WR001']);
    }
  });

  it('Given an `ImplementorResult` with `completed` outcome, when inspected, then `patch` is non-null and `summary` describes what was implemented.', () => {
    expect(implemented({})).toEqual([]);
    expect(implemented({ patch: null })).toEqual(['WR203']);
    expect(implemented({ summary: '' })).toEqual(['WR204']);
  });

  it('Given an `ImplementorResult` with `blocked` outcome, when inspected, then `summary` contains the blocker type, description, at least two options, and a recommendation.', () => {
    expect(blocked(BLOCKED_SUMMARY)).toEqual([]);
    expect(blocked(blockedWithout('Type'))).toEqual(['WR206']);
    expect(blocked(blockedWithout('Description'))).toEqual(['WR207']);
    expect(blocked(blockedWithout('Options'))).toEqual(['WR208']);
    expect(blocked(blockedWithout('Recommendation'))).toEqual(['WR209']);
  });

  it('Given an `ImplementorResult` with `blocked` outcome and a spec blocker type, when inspected, then `summary` contains a spec reference with file path, section, and quote.', () => {
    expect(blocked(blockedWithout('Spec reference'))).toEqual(['WR211', 'WR212', 'WR213']);
    const outside = blockedWithout('Spec reference').replace('spec-gap', 'external-dependency');
    expect(blocked(outside)).toEqual([]);
  });

  it("Given an `ImplementorResult` with `validation-failure` outcome, when inspected, then `summary` identifies which validation step failed and why it is outside the agent's scope.", () => {
    expect(failed('`npm test` fails in src/server.test.ts, which is outside of the scope.')).toEqual([]);
    expect(failed('It is outside of the scope.')).toEqual(['WR214']);
    expect(failed('`npm test` fails.')).toEqual(['WR215']);
  });

  it('Given a `ReviewerResult` with `needs-changes` verdict, when inspected, then every finding in `comments` includes all three fields (What, Why, Fix).', () => {
    expect(reviewed('needs-changes', FINDING, '[Warning] src/b.ts is not in scope.')).toEqual([]);
    expect(reviewed('needs-changes', FINDING, 'What: a. Why: b.')).toEqual(['WR307']);
  });

  it('Given a `ReviewerResult` with `approve` verdict, when inspected, then `comments` contains no findings (only warnings, if any, with `[Warning]` prefix).', () => {
    expect(reviewed('approve', '[Warning] src/b.ts is not in scope.')).toEqual([]);
    expect(reviewed('approve', FINDING)).toEqual(['WR303']);
  });
});

describe('Work Item Body Templates', () => {
  it('Given a task work item created from the Task Issue Template, when inspected, then it has labels from all four categories: type, status, priority, and complexity.', () => {
    expect(planned(plannedItem('a', { labels: TASK_LABELS }))).toEqual([]);
    for (const [index, code] of ['WR501', 'WR502', 'WR503', 'WR504'].entries())
      expect(planned(plannedItem('a', { labels: TASK_LABELS.filter((_, at) => at !== index) }))).toEqual([
        code,
      ]);
    expect(planned(plannedItem('a', { labels: [] }))).toEqual(['WR501', 'WR502', 'WR503', 'WR504']);
  });

  it('Given a refinement work item created from the Refinement Issue Template, when inspected, then it does not have a complexity label.', () => {
    const refinement = { body: REFINEMENT_BODY, labels: [...REFINEMENT_LABELS, 'complexity:low'] };
    expect(planned(plannedItem('a', refinement))).toEqual(['WR510']);
  });
});
