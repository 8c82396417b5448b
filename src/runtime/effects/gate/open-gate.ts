import * as z from 'zod';
import type { LedgerEntry } from '../../../contracts/planner/claim-ledger.ts';
import { type Blocker, blockerSchema } from '../../../contracts/planner/planner-decision.ts';
import type { WorkspaceDiff } from '../../../contracts/run/workspace-change.ts';
import type { GateEvent } from '../../../contracts/vocabulary.ts';
import { decide } from '../../../kernel/decide.ts';
import type { GateStep, Plan } from '../../../kernel/plan.ts';
import type { Effect, KernelDecision } from '../../../kernel/protocol.ts';
import type { RunState } from '../../../kernel/state.ts';
import { readLedger } from '../../evidence/claim-ledger.ts';
import { type Evidence, openEvidence, readEvidenceJson, readManifest } from '../../evidence/evidence.ts';
import { collectFindings } from '../../evidence/findings.ts';
import { readLastMessage } from '../../evidence/last-message.ts';
import { checkNotes } from '../../evidence/standing-checks.ts';
import { compareTrees } from '../../evidence/workspace-evidence.ts';
import { openApprovals } from '../../gates/approval-paths.ts';
import { gateChanges, shownChange } from '../../gates/gate-changes.ts';
import {
  type Consequence,
  type EvidenceItem,
  GATE_REQUEST_FILE,
  type GateRequest,
} from '../../gates/gate-request.ts';
import { renderGateRequest } from '../../gates/gate-text.ts';
import { proposeGoldens } from '../../goldens/propose-goldens.ts';
import { noticeText } from '../../record/preparation-text.ts';
import { lastEnded } from '../../record/run-view.ts';
import type { EffectResult, RunContext } from '../../run-context.ts';
import { publishWork } from '../publish-work.ts';

type OpenGateEffect = Extract<Effect, { kind: 'open_gate' }>;

/** How many files a request lists besides those that influence acceptance; the patch contains them all. */
const MAX_FILES = 200;

/** Records everything that a reviewer needs, bound by digests to what the gate shows. */
export async function openGate(
  context: RunContext,
  effect: OpenGateEffect,
  step: GateStep,
): Promise<EffectResult> {
  const { deps, directory, workspace } = context;
  const evidence = await openEvidence(directory, effect, deps.clock, deps.project.secrets);
  const now = await deps.workspace.snapshot(workspace, `${step.id}@${effect.attempt}`);
  const base = context.view().started.base_tree;
  const patchPath = `${evidence.path}/workspace.patch`;
  const changes = await compareTrees(
    deps.workspace,
    workspace,
    { base, before: base, after: now.tree },
    patchPath,
  );
  const patch = await evidence.file('workspace_diff', patchPath, { important: true });
  const goldens = await proposeGoldens(context, evidence, now, `${step.id}@${effect.attempt}.goldens`);
  const earlier = await evidenceOf(context);
  const approvals = await openApprovals(context, changes.diff.files);
  const inspected = await gateChanges(context, changes.diff.files, now.tree, approvals);
  const own = { step_id: step.id, attempt: effect.attempt, important: true };
  const shown: GateRequest = {
    ...(await factsOf(context, step)),
    approvals,
    deciding: [...inspected.deciding],
    folders: [...inspected.folders],
    content: [...inspected.content],
    uninspected: inspected.uninspected,
    proposed_goldens: [...goldens.proposals],
    proposed_goldens_left_out: goldens.leftOut,
    diff_summary: changes.summary,
    diff: diffOf(changes.diff, patch.path),
    tree: now.tree,
    evidence: [
      ...earlier,
      { ...own, role: 'workspace_diff', path: patch.path, sha256: patch.sha256 },
      ...(goldens.patch === null
        ? []
        : [{ ...own, role: 'golden_diff', path: goldens.patch.path, sha256: goldens.patch.sha256 }]),
    ],
  };
  const text = await evidence.text('gate_request_text', 'gate_request.md', renderGateRequest(shown), {
    important: true,
  });
  const request = await writeRequest(evidence, {
    ...shown,
    evidence: [
      ...shown.evidence,
      { ...own, role: 'gate_request_text', path: text.path, sha256: text.sha256 },
    ],
  });
  const { reason } = shown;
  const closed = await evidence.close('completed', `gate ${step.gate} opened: ${reason}`);
  const published = await publishWork(context, step.id, now.tree, 'waiting');
  return {
    records: [...closed, ...published.records],
    input: { kind: 'gate_opened', reason, tree: now.tree, requestSha256: request.sha256 },
  };
}

function writeRequest(evidence: Evidence, request: GateRequest) {
  return evidence.json(
    'gate_request',
    GATE_REQUEST_FILE,
    { schema_version: 1, ...request },
    { required: true, important: true },
  );
}

/** The facts of a request, without the files. */
async function factsOf(context: RunContext, step: GateStep) {
  const { deps, directory } = context;
  const view = context.view();
  const reason = reasonOf(context, step);
  const requestedAt = deps.clock.now();
  const { verdicts, checks } = await checkNotes(context);
  return {
    run_id: directory.runId,
    workflow_id: view.started.workflow_id,
    step_id: step.id,
    gate: step.gate,
    reason,
    required_decision: ['approve', 'reject'],
    approvers: [...step.approvers],
    requested_at: requestedAt.toISOString(),
    timeout_ms: step.timeoutMs,
    expires_at: expiryOf(requestedAt, step.timeoutMs),
    leads_to: {
      approve: step.routes.gate_approved,
      reject: step.routes.gate_rejected,
      timeout: step.routes.gate_timed_out,
    },
    consequences: consequencesOf(context.plan, view.state, step),
    judgement: await judgementOf(context),
    claims: await claimsOf(context),
    pending_goldens: view.state.pendingGoldens,
    violations: view.violations.map(({ stepId, seq: _seq, ...violation }) => ({
      step_id: stepId,
      ...violation,
    })),
    findings: await collectFindings(directory, view.steps),
    verdicts: [...verdicts],
    checks: [...checks],
    final_response: await readLastMessage(context),
    notices: [...(await unsandboxedNotice(context)), ...view.notices.map(noticeText)],
    workflow_digest: view.started.workflow_digest,
  };
}

/** The agent's claims, each with what the last evaluation's evidence says about it. */
async function claimsOf({ directory, view }: RunContext): Promise<LedgerEntry[]> {
  const evaluation = lastEnded(view().steps, 'EVALUATE');
  return evaluation === null ? [] : [...(await readLedger(directory, evaluation))];
}

/** Without a sandbox, an agent can do everything that the user can, including changing this record or answering. */
async function unsandboxedNotice({ directory, view }: RunContext): Promise<string[]> {
  const agents = new Set<string>();
  for (const step of view().steps.filter(({ opcode }) => opcode === 'RUN_AGENT')) {
    const runner = runnerSchema.safeParse(await readEvidenceJson(directory, step, 'runner_metadata'));
    if (runner.success && !runner.data.sandboxed) agents.add(runner.data.agent);
  }
  if (agents.size === 0) return [];
  const names = [...agents].map((name) => `"${name}"`).join(', ');
  return [
    `agent ${names} ran without a sandbox, with the same rights as you: it could change files outside its workspace, and this record`,
  ];
}

const runnerSchema = z.looseObject({ agent: z.string(), sandboxed: z.boolean() });

/** The timestamp in the log decides; it differs from this one only by the time it takes to write the request. */
function expiryOf(requestedAt: Date, timeoutMs: number | null): string | null {
  if (timeoutMs === null) return null;
  const at = new Date(requestedAt.getTime() + timeoutMs);
  return Number.isNaN(at.getTime()) ? null : at.toISOString();
}

function reasonOf(context: RunContext, step: GateStep): string {
  const { lastDecision, state, routes } = context.view();
  if (state.pendingGoldens.length > 0)
    return `goldens proposed by ${state.pendingGoldens.join(', ')} need approval`;
  const via = routes.at(-1);
  if (lastDecision !== null && via?.from === lastDecision.stepId)
    return `evaluation \`${lastDecision.stepId}\`: ${lastDecision.status}${lastDecision.reason === null ? '' : `: ${lastDecision.reason}`}`;
  return `the workflow asks for ${step.gate}`;
}

/** The last evaluation, with its blockers in full as the planner wrote them. */
async function judgementOf(context: RunContext) {
  const { lastDecision } = context.view();
  if (lastDecision === null) return null;
  const { stepId, ...decision } = lastDecision;
  const key = { stepId, attempt: decision.attempt };
  const written = await readEvidenceJson(context.directory, key, 'planner_decision');
  return { step_id: stepId, ...decision, blockers: listUnder(written, 'blockers').flatMap(parseBlocker) };
}

/** Skips invalid blockers; the decision itself is among the evidence. */
function parseBlocker(value: unknown): Blocker[] {
  const parsed = blockerSchema.safeParse(value);
  return parsed.success ? [parsed.data] : [];
}

function listUnder(value: unknown, key: string): readonly unknown[] {
  const found = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  const list: unknown = found.find(([name]) => name === key)?.[1];
  return Array.isArray(list) ? (list as unknown[]) : [];
}

function diffOf({ files, insertions, deletions }: WorkspaceDiff, patch: string) {
  const shown = files.slice(0, MAX_FILES).map((file) => ({ ...shownChange(file) }));
  return { files: shown, file_count: files.length, insertions, deletions, patch };
}

/** The evidence of all steps so far, with digests from the log: a manifest could have been changed with its files. */
async function evidenceOf(context: RunContext): Promise<EvidenceItem[]> {
  const important = new Set<string>();
  for (const step of context.view().steps)
    for (const artifact of (await readManifest(context.directory, step))?.artifacts ?? [])
      if (artifact.important) important.add(artifact.path);
  const attempts = new Map<string | null, number>();
  const items = new Map<string, EvidenceItem>();
  for (const { event_type, step_id, payload } of context.events()) {
    if (event_type === 'step_started') attempts.set(step_id, payload.attempt);
    if (event_type !== 'artifact_recorded') continue;
    const { role, path, sha256 } = payload;
    const attempt = attempts.get(step_id) ?? 1;
    items.set(path, { step_id: step_id ?? '', attempt, role, path, sha256, important: important.has(path) });
  }
  return [...items.values()];
}

interface Consequences {
  readonly approve: Consequence;
  readonly reject: Consequence;
  /** Null for a gate without a timeout. */
  readonly timeout: Consequence | null;
  readonly [answer: string]: Consequence | null;
}

/** What each answer to a gate leads to. Asks the kernel itself, so that the prediction can't differ from the run. */
function consequencesOf(plan: Plan, state: RunState, step: GateStep): Consequences {
  const opened = decide(plan, state, {
    kind: 'gate_opened',
    reason: '',
    tree: state.tree ?? '',
    requestSha256: '',
  });
  const after = (answer: GateEvent): Consequence => {
    const given = { kind: 'gate_answered', answer, by: null, comment: null, answeredAt: '' } as const;
    const effect = effectAfter(plan, decide(plan, opened.state, given));
    if (effect === null || effect.kind === 'prepare')
      throw new Error(`gate ${step.id} has no route for ${answer}`);
    if (effect.kind !== 'finish') return { step_id: effect.stepId, opcode: effect.opcode, ends: null };
    const { lifecycle, outcome, termination, reason } = effect.end;
    return {
      step_id: step.routes[answer] ?? 'STOP',
      opcode: 'STOP',
      ends: { lifecycle_state: lifecycle, outcome, termination, reason },
    };
  };
  return {
    approve: after('gate_approved'),
    reject: after('gate_rejected'),
    timeout: step.timeoutMs === null ? null : after('gate_timed_out'),
  };
}

/** Accepting goldens is an intermediate effect; returns the effect that follows it. */
function effectAfter(plan: Plan, { state, effect }: KernelDecision): Effect | null {
  if (effect?.kind !== 'accept_goldens') return effect;
  return decide(plan, state, { kind: 'goldens_accepted', changed: false, tree: null }).effect;
}
