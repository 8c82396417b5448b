import type { GateStep } from '../../kernel/plan.ts';
import type { Effect } from '../../kernel/protocol.ts';
import { openEvidence, readManifest } from '../evidence.ts';
import type { EffectResult, RunContext } from '../run-context.ts';
import { compareTrees } from '../workspace-evidence.ts';

type OpenGateEffect = Extract<Effect, { kind: 'open_gate' }>;

/** Writes down everything a person needs to decide, bound by hashes to what they are shown. */
export async function openGate(
  context: RunContext,
  effect: OpenGateEffect,
  step: GateStep,
): Promise<EffectResult> {
  const { deps, directory, workspace } = context;
  const view = context.view();
  const evidence = await openEvidence(directory, effect, deps.clock);
  const now = await deps.workspace.snapshot(workspace, `${step.id}@${effect.attempt}`);
  const base = view.started.base_tree;
  const changes = await compareTrees(
    deps.workspace,
    workspace,
    { base, before: base, after: now.tree },
    `${evidence.path}/workspace.patch`,
  );
  const reason = reasonOf(context, step);
  const request = await evidence.json(
    'gate_request',
    'gate_request.json',
    {
      schema_version: 1,
      run_id: directory.runId,
      step_id: step.id,
      gate: step.gate,
      reason,
      required_decision: ['approve', 'reject'],
      approvers: step.approvers,
      timeout_ms: step.timeoutMs,
      leads_to: {
        approve: step.routes.gate_approved,
        reject: step.routes.gate_rejected,
        timeout: step.routes.gate_timed_out,
      },
      judgement: view.lastDecision,
      pending_goldens: view.state.pendingGoldens,
      diff_summary: changes.summary,
      tree: now.tree,
      workflow_digest: view.started.workflow_digest,
      evidence: await evidenceDigests(context),
    },
    { required: true, important: true },
  );
  await evidence.file('workspace_diff', `${evidence.path}/workspace.patch`, { important: true });
  const records = await evidence.close('completed', `gate ${step.gate} opened: ${reason}`);
  return {
    records,
    input: { kind: 'gate_opened', reason, tree: now.tree, requestSha256: request.sha256 },
  };
}

function reasonOf(context: RunContext, step: GateStep): string {
  const { lastDecision, state, routes } = context.view();
  if (state.pendingGoldens.length > 0)
    return `goldens proposed by ${state.pendingGoldens.join(', ')} need a person`;
  const via = routes.at(-1);
  if (lastDecision !== null && via?.from === lastDecision.stepId)
    return `${lastDecision.stepId} judged ${lastDecision.status}${lastDecision.reason === null ? '' : `: ${lastDecision.reason}`}`;
  return `the workflow asks for ${step.gate}`;
}

async function evidenceDigests(context: RunContext) {
  const digests: { step_id: string; role: string; path: string; sha256: string }[] = [];
  for (const step of context.view().steps) {
    const manifest = await readManifest(context.directory, step);
    for (const artifact of manifest?.artifacts ?? [])
      if (artifact.important)
        digests.push({
          step_id: step.stepId,
          role: artifact.role,
          path: artifact.path,
          sha256: artifact.sha256,
        });
  }
  return digests;
}
