import { sumUsage } from '../../../agents/prices.ts';
import type { AgentResultFile, Usage } from '../../../contracts/run/agent-result.ts';
import type { EventDraft } from '../../../contracts/run/event.ts';
import type { Intent } from '../../../contracts/vocabulary.ts';
import { findBudgetProblem } from '../../../kernel/budgets.ts';
import { addStepUsage } from '../../../kernel/evolve.ts';
import type { AgentStep } from '../../../kernel/plan.ts';
import type { Effect, RecordedViolation } from '../../../kernel/protocol.ts';
import { formatClaim } from '../../../planner/claims/claim.ts';
import { readClaims } from '../../../planner/claims/extract-claims.ts';
import { findRoleBlockers, readRoleResult } from '../../../planner/claims/role-claims.ts';
import { type Review, readReview } from '../../../planner/review.ts';
import { readTail } from '../../../planner/tail.ts';
import type { ApprovalRequest } from '../../../policy/changes.ts';
import type { AgentCapability } from '../../../policy/enforcement.ts';
import type { AgentResult } from '../../../ports/agent.ts';
import { type Evidence, openEvidence } from '../../evidence/evidence.ts';
import { recordedReferences } from '../../evidence/evidence-references.ts';
import { REVIEW_ROLE } from '../../evidence/review-evidence.ts';
import { intentOf } from '../../evidence/step-intent.ts';
import type { WorkspaceEvidence } from '../../evidence/workspace-evidence.ts';
import { noteApprovals } from '../../gates/approval-paths.ts';
import { traceVariables } from '../../notify/run-telemetry.ts';
import type { AgentSettings, EffectResult, RunContext, StepPolicy } from '../../run-context.ts';
import { stepEnvironment } from '../checkout-setup.ts';
import { policySummary } from '../policy-summary.ts';
import { prepareAttempt, recordStop, undoDeadAttempt } from '../prepare-attempt.ts';
import { findStartRefusal, sandboxStep } from '../sandbox-step.ts';
import { endUnstarted } from '../unstarted-step.ts';
import { type AgentStarts, runnerCompleted, runStarts } from './agent-starts.ts';
import { chooseSession, sessionFolderOf } from './choose-session.ts';
import { parkBeforeStart, parkedUntil, shareWait } from './park-step.ts';
import { composeNewInstructions } from './session-prompt.ts';
import { collectInputs, renderTask } from './step-inputs.ts';

type AgentEffect = Extract<Effect, { kind: 'run_agent' }>;

export async function runAgent(
  context: RunContext,
  effect: AgentEffect,
  step: AgentStep,
): Promise<EffectResult> {
  const { deps, directory } = context;
  await undoDeadAttempt(context, effect);
  const evidence = await openEvidence(directory, effect, deps.clock, deps.project.secrets);
  const policy = deps.project.policy(step.policies);
  const inputs = await collectInputs(context, step, effect);
  const task = renderTask(context, step, inputs);
  const agent = deps.project.agent(step.agent);
  if (agent === null) return endUnstarted(evidence, 'error', `agent "${step.agent}" is not configured`);
  if (!task.ok) return endUnstarted(evidence, 'error', task.message);
  const stepSandbox = await sandboxStep(context, 'agent', step.policies);
  const refusal = findStartRefusal('agent', policy, stepSandbox, agent.capabilities);
  if (refusal !== null) {
    await evidence.json(
      'policy_summary',
      'policy.json',
      policySummary(policy, { notes: stepSandbox.notes, capabilities: agent.capabilities ?? [] }),
    );
    return endUnstarted(evidence, 'killed_policy', refusal);
  }

  const settings = deps.project.agentSettings?.(step.agent) ?? DEFAULT_SETTINGS;
  const parked = await parkBeforeStart(context, step, settings, evidence);
  if (parked !== null) return parked;

  const prepared = await prepareAttempt(context, effect, { family: agent.family, name: step.agent });
  const { earlier, note } = await chooseSession(context, step, effect, agent);
  const newTask =
    earlier === null
      ? ''
      : await composeNewInstructions(context, step, effect, { inputs, earlier: earlier.entry });
  const { last, failed } = await runStarts(context, {
    step,
    effect,
    agent,
    settings,
    prepared,
    evidence,
    session: agent.canResume === true ? { earlier, prompt: newTask } : null,
    request: {
      ...buildRequestBase(context, step),
      env: {
        ...(await stepEnvironment(context, context.workspace.checkoutPath)),
        ...traceVariables(context, effect),
      },
      attempt: effect.attempt,
      visit: effect.visit,
      prompt: task.text,
      inputs,
      confinement: stepSandbox.confinement,
      policy: policy.effective,
      onStop: recordStop(context, step.id, `agent "${step.agent}"`),
    },
  });
  const { result, after, changes, checked } = last;
  const violations = checked.found;
  const approvals = policy.approvals?.(changes.diff.files) ?? [];
  const intent = intentOf(context, step);
  const review =
    intent === 'review' ? readReview(result.result, result.finalResponse, result.resultProblem) : null;
  const notes = stepSandbox.notes;
  const capabilities = agent.capabilities ?? [];
  const refinement = isRefinement(context, step) ? recordedReferences(context, inputs.refinement) : null;
  const facts = {
    step,
    checkoutPath: context.workspace.checkoutPath,
    task: result.session?.resumed === true ? newTask : task.text,
    sessionFolder: agent.canResume === true ? sessionFolderOf(effect, last.count) : null,
    result,
    changes,
    policy,
    violations,
    approvals,
    notes,
    isSandboxed: stepSandbox.confinement !== null,
    capabilities,
    intent,
    review,
    usage: last.usage,
    failed,
  };
  await recordAgentEvidence(evidence, facts);
  if (refinement !== null) await evidence.json('refinement_package', 'refinement.json', refinement);
  const records = [
    ...(await evidence.close(result.termination, summaryOf(result, changes))),
    ...checked.records,
    ...noteApprovals(step.id, approvals),
    runnerCompleted({ step, effect }, last),
    ...noteStep(step, note ?? result.session?.note ?? null),
    // A review reports the problem itself.
    ...noteStep(step, review === null ? (result.resultProblem ?? null) : null),
    ...noteReview(step, review),
  ];
  const usage = sumUsage([...failed, last].map((start) => start.usage));
  if (last.move.kind === 'park' && isWithinBudget(context, step, last.usage)) {
    const wait = {
      until: last.move.until,
      reason: `agent "${step.agent}": ${result.failure?.message ?? ''}`,
    };
    await shareWait(context, settings, wait);
    return { records, input: parkedUntil(wait) };
  }
  // The kernel counts a step's usage from its end, unless the totals have failed starts; then this one must be in them.
  if (failed.length > 0) await context.record(records);
  return {
    input: {
      kind: 'step_ended',
      outcome: result.termination,
      changed: after.tree !== prepared.before.tree,
      tree: after.tree,
      validators: [],
      usage,
      reason: result.reason,
      violations,
    },
    records: failed.length > 0 ? [] : records,
  };
}

/** Default for agents without configured retries and prices. */
const DEFAULT_SETTINGS: AgentSettings = { retries: 0, credential: null, price: null };

/** A run without budget left has nothing to wait for. The totals already include the earlier starts. */
function isWithinBudget(context: RunContext, step: AgentStep, usage: Usage | null): boolean {
  return (
    findBudgetProblem(context.plan, addStepUsage(context.view().state, step.id, usage), step.id) === null
  );
}

/** Whether an evaluation of `partial` led to this step; a recovery attempt has the same route. */
function isRefinement({ view }: RunContext, step: AgentStep): boolean {
  const route = view().routes.at(-1);
  return route?.key === 'partial' && route.to === step.id;
}

/** The part of a request that doesn't depend on the attempt. */
function buildRequestBase({ directory, workspace, observer }: RunContext, step: AgentStep) {
  return {
    runId: directory.runId,
    stepId: step.id,
    checkoutPath: workspace.checkoutPath,
    runDir: directory.path,
    idleTimeoutMs: step.idleTimeoutMs,
    onLine: (line: string) => observer.onLine(step.id, line),
  };
}

interface AgentFacts {
  readonly step: AgentStep;
  readonly checkoutPath: string;
  readonly task: string;
  /** Relative to the run directory; null for an agent without sessions. */
  readonly sessionFolder: string | null;
  readonly result: AgentResult;
  readonly changes: WorkspaceEvidence;
  readonly policy: StepPolicy;
  readonly violations: readonly RecordedViolation[];
  readonly approvals: readonly ApprovalRequest[];
  readonly notes: readonly string[];
  readonly isSandboxed: boolean;
  readonly capabilities: readonly AgentCapability[];
  readonly intent: Intent;
  readonly review: Review | null;
  readonly usage: Usage | null;
  readonly failed: AgentStarts['failed'];
}

async function recordAgentEvidence(evidence: Evidence, facts: AgentFacts): Promise<void> {
  const { result, changes } = facts;
  for (const start of facts.failed) await recordFailedStart(evidence, start.result);
  await evidence.text('runner_prompt', 'prompt.md', `${facts.task}\n`);
  await evidence.file('runner_transcript', result.transcriptPath, { required: true, important: true });
  if (typeof result.streamPath === 'string') await evidence.file('runner_stream', result.streamPath);
  if (result.stderrPath !== null) await evidence.file('runner_stderr', result.stderrPath);
  await evidence.text('runner_final_response', 'final.md', `${result.finalResponse}\n`, { important: true });
  const claimed = readClaims(result.result?.claims ?? null, result.finalResponse, {
    root: facts.checkoutPath,
    changed: changes.diff.files.map(({ path }) => path),
  });
  const words = readRoleResult(result.result, result.finalResponse);
  await evidence.json('runner_metadata', 'runner.json', {
    agent: facts.step.agent,
    sandboxed: facts.isSandboxed,
    intent: facts.intent,
    termination: result.termination,
    exit_code: result.exitCode,
    duration_ms: result.durationMs,
    final: result.finalResponse,
    claims: claimed.claims.map(formatClaim),
    claims_source: claimed.source,
    ...reviewFields(result.result),
    blockers: result.result?.blockers ?? readTail(result.finalResponse)?.blockers ?? findRoleBlockers(words),
    ...(words === null ? {} : { result: words }),
    usage: facts.usage,
    failure: result.failure ?? null,
    failed_starts: facts.failed.map(({ count, result: start, usage }) => ({
      try: count,
      exit_code: start.exitCode,
      duration_ms: start.durationMs,
      usage,
      failure: start.failure ?? null,
    })),
    reason: result.reason,
    session_id: result.sessionId ?? null,
    ...(facts.sessionFolder === null
      ? {}
      : { session_folder: facts.sessionFolder, session_resumed: result.session?.resumed ?? false }),
    ...(result.controls === undefined ? {} : { controls: result.controls }),
    notes: result.notes,
  });
  if (facts.review !== null)
    await evidence.json(REVIEW_ROLE, 'review.json', facts.review, { important: true });
  await evidence.file('workspace_diff', `${evidence.path}/workspace.patch`, { important: true });
  await evidence.json('workspace_status', 'workspace.json', {
    summary: changes.summary,
    fingerprint: changes.fingerprint,
    files: changes.diff.files,
  });
  await evidence.json(
    'policy_summary',
    'policy.json',
    policySummary(facts.policy, { ...facts, controls: result.controls }),
  );
}

/** Uses separate roles: readers of `runner_transcript` must get the transcript of the start that counts. */
async function recordFailedStart(evidence: Evidence, result: AgentResult): Promise<void> {
  await evidence.file('failed_start_transcript', result.transcriptPath);
  if (result.stderrPath !== null) await evidence.file('failed_start_stderr', result.stderrPath);
}

/** A note for users who watch the run, such as a session that could not be continued or an ignored result file. */
function noteStep(step: AgentStep, note: string | null): EventDraft[] {
  return note === null ? [] : [{ event_type: 'status_updated', step_id: step.id, payload: { note } }];
}

/** Reports the result of a review to users who watch the run. */
function noteReview(step: AgentStep, review: Review | null): EventDraft[] {
  if (review === null) return [];
  const { verdict, findings, problem } = review;
  const count = `${findings.length} ${findings.length === 1 ? 'finding' : 'findings'}`;
  const note = `review ${step.id}: ${verdict === null ? `no verdict, ${problem}` : `${verdict}, ${count}`}`;
  return [{ event_type: 'status_updated', step_id: step.id, payload: { note } }];
}

/** As the agent wrote it, so that a replay can repeat it. */
function reviewFields(result: AgentResultFile | null) {
  if (result === null) return {};
  const { verdict, findings, review } = result;
  return { verdict, findings, review };
}

function summaryOf(result: AgentResult, changes: WorkspaceEvidence): string {
  const files = changes.diff.files.length;
  const what = files === 0 ? 'changed nothing' : `changed ${files} ${files === 1 ? 'file' : 'files'}`;
  return `${result.termination}, ${what}${result.reason === null ? '' : `: ${result.reason}`}`;
}
