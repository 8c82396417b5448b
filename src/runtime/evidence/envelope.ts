import * as z from 'zod';
import { ownValue } from '../../contracts/own-value.ts';
import type { PlannerInput, WindowEntry } from '../../contracts/planner/planner-input.ts';
import type { WorkspaceDiff } from '../../contracts/run/workspace-change.ts';
import { MECHANICAL_OUTCOMES, type MechanicalOutcome } from '../../contracts/vocabulary.ts';
import type { EvaluateStep } from '../../kernel/plan.ts';
import type { ActiveStep } from '../../kernel/state.ts';
import { statementsToEvaluate } from '../../planner/claims/standing-claims.ts';
import { mergeReports } from '../../planner/merge-reports.ts';
import { formatTranscriptSummary, parseDiffSummary } from '../../planner/summaries.ts';
import type { RunDirectory } from '../../ports/run-store.ts';
import { valueRelativeToCheckout } from '../../reports/checkout-paths.ts';
import { parseJson } from '../../text/json.ts';
import { formatApproval, openApprovals } from '../gates/approval-paths.ts';
import { lastEnded, type StepView } from '../record/run-view.ts';
import type { RunContext } from '../run-context.ts';
import { validationRecordSchema } from '../verify/check-record.ts';
import { type EarlierAgent, findReviewedAgent, readStatements } from './agent-messages.ts';
import { readEvidenceJson, readManifest, type StepKey } from './evidence.ts';
import { collectFindings } from './findings.ts';
import { reviewEvidence } from './review-evidence.ts';
import { joinDoubts, standingChecks } from './standing-checks.ts';
import { describeChanges } from './stored-changes.ts';
import { fingerprintDiff } from './workspace-evidence.ts';

type Report = Readonly<Record<string, unknown>>;

const validationSchema = z.object({
  exit_codes: z.record(z.string(), z.int()),
  converted_reports: z.array(z.string()).default([]),
});

/** How many completed steps the planner sees, and at least how many evaluations. */
const WINDOW_STEPS = 3;
const WINDOW_EVALUATIONS = 3;

/** Assembles the planner's input from the evidence of earlier steps. */
export async function assembleEnvelope(
  context: RunContext,
  entry: ActiveStep,
  step: EvaluateStep,
): Promise<PlannerInput> {
  const { plan, directory } = context;
  const view = context.view();
  const done = view.steps.filter((candidate) => candidate.termination !== null);
  const agent = lastEnded(done, 'RUN_AGENT');
  const validation = validationAfter(done, agent);
  const earlier = findReviewedAgent(context, done);
  const { intent, summary } = await transcriptOf(context, agent, earlier);
  const change = await wholeChange(context);
  return {
    run_id: directory.runId,
    workflow_id: plan.workflowId,
    step_id: entry.stepId,
    evaluate_prompt: step.prompt,
    allowed_next_steps: [...step.allowedNextSteps],
    provenance_window: await windowOf(context, done),
    evidence: {
      transcript_summary: summary,
      workspace_diff_summary: await describeChanges(
        directory,
        isUndone(done, agent) ? null : agent,
        fingerprintDiff(change),
      ),
      validation: await validationOf(context, validation, agent),
      harness_report: await harnessReportOf(context, validation),
      artifacts: await artifactsOf(context, [earlier?.step ?? null, agent, validation]),
      policy_events: [
        ...policyEvents(context),
        ...(await openApprovals(context, change.files)).map(formatApproval),
        ...(await collectFindings(directory, stepsSinceEvaluation(done))),
      ],
      review: await reviewEvidence(context, done),
      run_changed: (view.state.tree ?? view.started.base_tree) !== view.started.base_tree,
    },
    route_hints: { ...step.routes },
    ...(step.revision === null
      ? {}
      : {
          refinement: {
            spent: ownValue(view.state.refinements, step.revision.step) ?? 0,
            max: step.revision.maxAttempts,
          },
        }),
    step_intent: intent,
  };
}

/** A validation before the last agent step says nothing about the current files. */
function validationAfter(done: readonly StepView[], agent: StepView | null): StepView | null {
  const last = lastEnded(done, 'RUN_VALIDATION');
  if (last === null || agent === null) return last;
  return done.indexOf(last) > done.indexOf(agent) ? last : null;
}

/** The statements of the last agent, plus those of the earlier agent that no evaluation has covered yet. */
async function transcriptOf(
  context: RunContext,
  agent: StepView | null,
  earlier: EarlierAgent | null,
): Promise<{ readonly intent: string; readonly summary: string }> {
  const last = await readStatements(context, agent);
  const before = earlier && {
    words: await readStatements(context, earlier.step),
    change: parseDiffSummary(await describeChanges(context.directory, earlier.step, null)),
    after: earlier.after,
  };
  return { intent: last.intent, summary: formatTranscriptSummary(statementsToEvaluate(last, before)) };
}

async function validationOf(
  context: RunContext,
  validation: StepView | null,
  agent: StepView | null,
): Promise<PlannerInput['evidence']['validation']> {
  const parsed = validationRecordSchema.safeParse(
    validation && (await readEvidenceJson(context.directory, validation, 'validation_report')),
  );
  const doubts = joinDoubts(await standingChecks(context));
  if (parsed.success) return { ...parsed.data, ...doubts };
  const standIn = validation ?? agent;
  return { mechanical_outcome: mechanicalOf(standIn), exit_codes: {}, timeouts: [], ...doubts };
}

function mechanicalOf(step: StepView | null): MechanicalOutcome {
  return MECHANICAL_OUTCOMES.find((outcome) => outcome === step?.termination) ?? 'completed';
}

/** Not validated here: the evaluation checks the report. */
async function harnessReportOf(
  context: RunContext,
  validation: StepView | null,
): Promise<PlannerInput['evidence']['harness_report']> {
  if (validation === null) return null;
  const reports = await readPlannerReports(context.directory, validation);
  // A harness names files by absolute path in its checkout; the planner passes these messages on to agents.
  const merged = valueRelativeToCheckout(mergeReports(reports), [context.workspace.judgePath]);
  return merged as PlannerInput['evidence']['harness_report'];
}

/** Whether a rollback undid the agent's changes. */
function isUndone(done: readonly StepView[], agent: StepView | null): boolean {
  const rollback = done.findLast(
    ({ opcode, termination }) => opcode === 'ROLLBACK' && termination === 'completed',
  );
  return agent !== null && rollback !== undefined && done.indexOf(rollback) > done.indexOf(agent);
}

/** The whole change of the run so far. */
async function wholeChange({ deps, workspace, view }: RunContext): Promise<WorkspaceDiff> {
  const { started, state } = view();
  const from = started.base_tree;
  return deps.workspace.diff(workspace, from, state.tree ?? from);
}

/** Paths relative to the run directory, plus the declared names of required files that were captured. */
async function artifactsOf(context: RunContext, steps: readonly (StepView | null)[]): Promise<string[]> {
  const paths = new Set<string>();
  for (const step of steps) {
    if (step === null) continue;
    const manifest = await readManifest(context.directory, step);
    for (const artifact of manifest?.artifacts ?? []) paths.add(artifact.path);
    const report = validationRecordSchema.safeParse(
      await readEvidenceJson(context.directory, step, 'validation_report'),
    );
    if (!report.success) continue;
    for (const name of report.data.required_artifacts)
      if (!report.data.missing_artifacts.includes(name)) paths.add(name);
  }
  // No diff covers the harness folder, but what an agent wrote there is part of its work.
  for (const path of await context.directory.list('harness')) {
    paths.add(path);
    paths.add(`.tnh/run/${context.directory.runId}/${path}`);
  }
  return [...paths];
}

/** All policy violations since the last evaluation, formatted for the planner. */
function policyEvents(context: RunContext): string[] {
  const events = context.events();
  const since = events.findLast((event) => event.event_type === 'decision_recorded')?.seq ?? -1;
  return context
    .view()
    .violations.filter((violation) => violation.seq > since)
    .map((violation) => `${violation.class}: ${violation.subject}`);
}

function stepsSinceEvaluation(done: readonly StepView[]): readonly StepView[] {
  return done.slice(done.findLastIndex(({ opcode }) => opcode === 'EVALUATE') + 1);
}

async function windowOf(context: RunContext, done: readonly StepView[]): Promise<WindowEntry[]> {
  const tail = done.slice(-WINDOW_STEPS);
  const evaluations = done.filter((step) => step.opcode === 'EVALUATE').slice(-WINDOW_EVALUATIONS);
  const chosen = done.filter((step) => tail.includes(step) || evaluations.includes(step));
  return Promise.all(chosen.map((step) => windowEntry(context, step)));
}

async function windowEntry(context: RunContext, step: StepView): Promise<WindowEntry> {
  const decision = context
    .events()
    .find(
      (event) =>
        event.event_type === 'decision_recorded' &&
        event.step_id === step.stepId &&
        event.payload.attempt === step.attempt,
    );
  const decided = decision?.event_type === 'decision_recorded' ? decision.payload : null;
  return {
    step_id: step.stepId,
    opcode: step.opcode,
    status: step.termination ?? 'error',
    diff_summary:
      step.opcode === 'EVALUATE'
        ? await readEvaluatedDiff(context, step)
        : await describeChanges(context.directory, step, null),
    risk_flags: [...(decided?.risk_flags ?? [])],
    blocker_codes: [...(decided?.blocker_codes ?? [])],
  };
}

/** The diff summary at the time of that evaluation. */
async function readEvaluatedDiff(context: RunContext, step: StepView): Promise<string> {
  const parsed = z
    .object({ evidence: z.object({ workspace_diff_summary: z.string() }) })
    .safeParse(await readEvidenceJson(context.directory, step, 'planner_input'));
  return parsed.success ? parsed.data.evidence.workspace_diff_summary : 'no changes';
}

/**
 * The reports of a validation that the planner sees. A report without failures next to a failed validator would look
 * like a contradiction to it. A converted report covers only its own runner, so it is omitted then: the evaluation is
 * about the validator that failed.
 */
async function readPlannerReports(directory: RunDirectory, step: StepKey): Promise<readonly Report[]> {
  const manifest = await readManifest(directory, step);
  const stored = manifest?.artifacts.filter(({ role }) => role === 'harness_report') ?? [];
  const parsed = validationSchema.safeParse(await readEvidenceJson(directory, step, 'validation_report'));
  const converted = parsed.success ? parsed.data.converted_reports : [];
  const someFailed = parsed.success && Object.values(parsed.data.exit_codes).some((code) => code !== 0);
  const reports: Report[] = [];
  for (const { path } of stored) {
    const value = parseJson((await directory.read(path)) ?? '');
    if (typeof value !== 'object' || value === null) continue;
    const report = value as Report;
    if (someFailed && converted.includes(path) && !hasFailedCase(report)) continue;
    reports.push(report);
  }
  return reports;
}

function hasFailedCase({ cases }: Report): boolean {
  return (
    Array.isArray(cases) &&
    cases.some(
      (item: unknown) =>
        typeof item === 'object' && item !== null && 'status' in item && item.status === 'failed',
    )
  );
}
