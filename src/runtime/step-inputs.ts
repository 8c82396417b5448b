import * as z from 'zod';
import type { EventDraft, EventPayload } from '../contracts/event.ts';
import { type FixInstructions, plannerDecisionSchema } from '../contracts/planner-decision.ts';
import type { AgentStep } from '../kernel/plan.ts';
import type { Entry } from '../kernel/state.ts';
import { refinementPackage } from '../planner/refinement-package.ts';
import { readEvidence, readEvidenceJson, readManifest } from './evidence.ts';
import { REVIEW_ROLE } from './review-evidence.ts';
import type { RunContext } from './run-context.ts';
import { lastEnded } from './run-view.ts';
import { intentOf } from './step-intent.ts';
import { describeChanges } from './stored-changes.ts';

/** How much of a transcript an agent gets that asks for it: its end says most. */
const TRANSCRIPT_LIMIT = 65_536;

/** Names the runtime can give to a prompt or an agent besides what came by `--input`. */
type Inputs = Record<string, unknown>;

/**
 * The typed inputs of an agent step. Small facts are always there; big ones (the diff, the harness
 * report) only when the step or its prompt asks for them.
 */
export async function collectInputs(context: RunContext, step: AgentStep, entry: Entry): Promise<Inputs> {
  const { plan, deps } = context;
  const wanted = new Set(step.inputs);
  if (step.prompt.kind === 'reference')
    for (const input of deps.prompts.byRef.get(step.prompt.ref)?.inputs ?? []) wanted.add(input.name);
  const inputs: Inputs = {
    ...context.view().started.inputs,
    run_id: context.directory.runId,
    workflow_id: plan.workflowId,
    step_id: entry.stepId,
    component_kind: plan.componentKind,
    eval_profile: plan.evalProfile,
    ...(await judgementInputs(context)),
    step_intent: intentOf(context, step),
    human_feedback: feedbackFor(context.events(), entry),
  };
  if (wanted.has('diff') || wanted.has('diff_summary')) {
    const last = lastEnded(context.view().steps, 'RUN_AGENT');
    inputs.diff =
      last === null ? '' : ((await readEvidence(context.directory, last, 'workspace_diff')) ?? '');
    inputs.diff_summary = await describeChanges(context.directory, last, null);
  }
  if (wanted.has('validation') || wanted.has('validation_results') || wanted.has('harness_report')) {
    const validation = lastEnded(context.view().steps, 'RUN_VALIDATION');
    const report = validation && (await readEvidenceJson(context.directory, validation, 'validation_report'));
    inputs.validation = report;
    inputs.validation_results = report;
    inputs.harness_report =
      validation && (await readEvidenceJson(context.directory, validation, 'harness_report'));
  }
  return { ...inputs, ...(await wantedEvidence(context, wanted)) };
}

const ENVELOPE_INPUTS = ['evidence', 'provenance_window', 'policy_events', 'allowed_next_steps'] as const;

const judgedSchema = z.looseObject({
  evidence: z.looseObject({ policy_events: z.array(z.string()) }),
  provenance_window: z.array(z.unknown()),
  allowed_next_steps: z.array(z.string()),
});

/** What the last evaluation was shown, the latest review and the last transcript, for those who ask. */
async function wantedEvidence(context: RunContext, wanted: ReadonlySet<string>): Promise<Inputs> {
  const { directory } = context;
  const { steps } = context.view();
  const inputs: Inputs = {};
  if (ENVELOPE_INPUTS.some((name) => wanted.has(name))) {
    const judged = lastEnded(steps, 'EVALUATE');
    const stored = judgedSchema.safeParse(
      judged && (await readEvidenceJson(directory, judged, 'planner_input')),
    );
    const envelope = stored.success ? stored.data : null;
    inputs.evidence = envelope?.evidence ?? null;
    inputs.policy_events = envelope?.evidence.policy_events ?? [];
    inputs.provenance_window = envelope?.provenance_window ?? [];
    inputs.allowed_next_steps = envelope?.allowed_next_steps ?? [];
  }
  if (wanted.has('review_report')) inputs.review_report = await lastReview(context);
  if (wanted.has('transcript')) {
    const last = lastEnded(steps, 'RUN_AGENT');
    const text = last === null ? null : await readEvidence(directory, last, 'runner_transcript');
    inputs.transcript = (text ?? '').slice(-TRANSCRIPT_LIMIT);
  }
  return inputs;
}

/** Also one that is stale: whoever refines wants to know what was said. */
async function lastReview({ directory, view }: RunContext): Promise<unknown> {
  for (const step of view().steps.toReversed()) {
    if (step.opcode !== 'RUN_AGENT' || step.termination === null) continue;
    const review = await readEvidenceJson(directory, step, REVIEW_ROLE);
    if (review !== null) return review;
  }
  return null;
}

type Feedback = EventPayload<'human_feedback'>;

/** What a person said at a gate since the last agent step. A recovery attempt is told again. */
export function feedbackFor(events: readonly EventDraft[], entry: Entry): Feedback | null {
  for (const event of events.toReversed()) {
    if (event.event_type === 'human_feedback') return event.payload;
    if (event.event_type !== 'step_started' || event.payload.opcode !== 'RUN_AGENT') continue;
    if (event.step_id !== entry.stepId || event.payload.visit !== entry.visit) return null;
  }
  return null;
}

/** The decision that an agent works from, and the package made of it where it asks for a refinement. */
async function judgementInputs(context: RunContext): Promise<Inputs> {
  const last = lastEnded(context.view().steps, 'EVALUATE');
  const parsed = plannerDecisionSchema.safeParse(
    last && (await readEvidenceJson(context.directory, last, 'planner_decision')),
  );
  if (!parsed.success || last === null)
    return { fix_instructions: null, refinement: null, blockers: [], risk_flags: [] };
  const { fix_instructions, blockers, risk_flags } = parsed.data;
  const manifest = await readManifest(context.directory, last);
  const artifact = manifest?.artifacts.find(({ role }) => role === 'planner_decision');
  const refinement = refinementPackage(parsed.data, artifact?.path ?? last.stepId);
  return { fix_instructions, refinement, blockers, risk_flags };
}

export type RenderedPrompt =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly message: string };

/** What the agent is told. An inline prompt gets fix instructions and feedback as sections of their own. */
export function renderTask(context: RunContext, step: AgentStep, inputs: Inputs): RenderedPrompt {
  if (step.prompt.kind === 'inline') {
    const fix = inputs.fix_instructions as FixInstructions | null;
    const feedback = inputs.human_feedback as Feedback | null;
    const sections = [
      step.prompt.text,
      ...(fix === null ? [] : [fixSection(fix)]),
      ...(feedback === null ? [] : [`## What ${feedback.by} said at the gate\n\n${feedback.comment}`]),
    ];
    return { ok: true, text: sections.join('\n\n') };
  }
  const prompt = context.deps.prompts.byRef.get(step.prompt.ref);
  if (prompt === undefined) return { ok: false, message: `prompt ${step.prompt.ref} is not in any catalog` };
  return context.deps.prompts.render(prompt, inputs);
}

function fixSection(fix: FixInstructions): string {
  const list = (title: string, items: readonly string[]) =>
    items.length === 0 ? [] : ['', `${title}:`, ...items.map((item) => `- ${item}`)];
  return [
    '## What the last evaluation asks for',
    '',
    fix.objective,
    ...list('Constraints', fix.constraints),
    ...list(
      'Edits',
      fix.edits.map((edit) => `${edit.target}: ${edit.action} (${edit.rationale})`),
    ),
    ...list(
      'It is done when',
      fix.verification.map((check) => `${check.command}: ${check.expected_signal}`),
    ),
  ].join('\n');
}
