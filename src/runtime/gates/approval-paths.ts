import * as z from 'zod';
import type { EventDraft } from '../../contracts/run/event.ts';
import type { FileChange } from '../../contracts/run/workspace-change.ts';
import type { ApprovalRequest } from '../../policy/changes.ts';
import { nameSome } from '../../text/name-some.ts';
import { readEvidenceJson } from '../evidence/evidence.ts';
import type { RunContext } from '../run-context.ts';

/** How many paths the status note names; the policy summary lists them all. */
const MAX_NAMED = 5;

const summarySchema = z.object({ approvals: z.array(z.object({ path: z.string(), glob: z.string() })) });

/**
 * The paths of `approval_paths` that agents changed and no user has approved yet, without duplicates. Considers the
 * whole change of the run: a rejected gate leaves them open, and a file that is back to its base content needs none.
 */
export async function openApprovals(
  { directory, view }: Pick<RunContext, 'directory' | 'view'>,
  changes: readonly FileChange[],
): Promise<ApprovalRequest[]> {
  const { steps } = view();
  const approved = steps.findLastIndex(({ termination }) => termination === 'gate_approved');
  const changed = new Set(changes.flatMap(({ path, oldPath }) => [path, oldPath]));
  const open = new Map<string, ApprovalRequest>();
  for (const step of steps.slice(approved + 1)) {
    if (step.opcode !== 'RUN_AGENT' || step.termination === null) continue;
    const { data } = summarySchema.safeParse(await readEvidenceJson(directory, step, 'policy_summary'));
    for (const asked of data?.approvals ?? []) if (changed.has(asked.path)) open.set(asked.path, asked);
  }
  return [...open.values()];
}

/** Formats an approval request for the planner and for gates. */
export function formatApproval({ path }: ApprovalRequest): string {
  return `requires_approval: ${path}`;
}

/** Reports in a status note, right after the step, that the run will ask for approval. */
export function noteApprovals(stepId: string, approvals: readonly ApprovalRequest[]): EventDraft[] {
  if (approvals.length === 0) return [];
  const named = nameSome(
    approvals.map(({ path }) => path),
    MAX_NAMED,
  );
  const note = `step "${stepId}" changed paths that need approval: ${named}`;
  return [{ event_type: 'status_updated', step_id: stepId, payload: { note } }];
}
