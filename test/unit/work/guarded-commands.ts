import type { WorkEvent } from '../../../src/contracts/work/work-event.ts';
import type { PlannerResult } from '../../../src/contracts/work/work-results.ts';
import type { WorkCommand } from '../../../src/work/engine/command.ts';
import { findRefusal } from '../../../src/work/engine/guards.ts';
import { accepted, created, inReview, limits, moved, spec, stateOf } from './fixtures.ts';

export const context = { limits: limits(), checkPlan: () => [] };
export const ENGINE = { kind: 'engine' } as const;
export const ANN = { kind: 'person', name: 'ann' } as const;

export const refused = (events: readonly WorkEvent[], command: WorkCommand, by: typeof ENGINE | typeof ANN) =>
  findRefusal(stateOf(events), { key: 'k', by, command }, context);

export const implement = (itemId: string): WorkCommand => ({ kind: 'request_implementor_run', itemId });
export const review = (itemId: string): WorkCommand => ({
  kind: 'request_reviewer_run',
  itemId,
  revisionId: `r${itemId}`,
});
export const move = (
  itemId: string,
  to: 'pending' | 'ready' | 'closed' | 'approved' | 'in-progress',
): WorkCommand => ({ kind: 'transition', itemId, to, reason: 'so' });
export const result = (itemId: string, patch: string | null = 'diff'): WorkCommand => ({
  kind: 'apply_implementor_result',
  runId: `run ${itemId}`,
  itemId,
  base: 'base',
  result: { role: 'implementor', outcome: 'completed', patch, summary: 'all done' },
});
export const verdict = (itemId: string, revisionId = `r${itemId}`): WorkCommand => ({
  kind: 'apply_reviewer_result',
  runId: `run ${itemId}`,
  itemId,
  revisionId,
  result: { role: 'reviewer', review: { verdict: 'approve', summary: 's', comments: [] } },
});
export const plan = (more: Partial<PlannerResult>): WorkCommand => ({
  kind: 'apply_planner_result',
  runId: 'p',
  specs: [],
  result: { role: 'planner', create: [], close: [], update: [], ...more },
});
export const planned = (tempID: string, blockedBy: string[] = []) => ({
  tempID,
  title: 't',
  body: '',
  labels: [],
  blockedBy,
});
export const ready = (id: string, scope?: string[]) => created({ id, status: 'ready' }, scope);
export const atWork = (id: string, scope?: string[]) => [
  created({ id, status: 'in-progress' }, scope),
  accepted(`run ${id}`, 'implementor', id),
];
export const reviewing = (id: string) => [
  ...inReview(id, 'success'),
  accepted(`run ${id}`, 'reviewer', id, { revision: `r${id}` }),
];
export const approved = (id: string) => [...inReview(id, 'success'), moved(id, 'review', 'approved')];
export const PLANNER = accepted('p', 'planner', null, { specs: [spec('a.md', '1')] });
