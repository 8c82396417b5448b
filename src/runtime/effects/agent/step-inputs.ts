import * as z from 'zod';
import type { Prompt } from '../../../contracts/documents/prompt.ts';
import { type FixInstructions, plannerDecisionSchema } from '../../../contracts/planner/planner-decision.ts';
import type { EventDraft, EventPayload } from '../../../contracts/run/event.ts';
import { feedbackText } from '../../../contracts/run/typed-feedback.ts';
import type { AgentStep } from '../../../kernel/plan.ts';
import type { ActiveStep } from '../../../kernel/state.ts';
import { composeRefinementPackage } from '../../../planner/refinement-package.ts';
import { valueRelativeToCheckout } from '../../../reports/checkout-paths.ts';
import { hasTemplate } from '../../../workflow/document/prompt-template.ts';
import { readEvidence, readEvidenceJson, readManifest } from '../../evidence/evidence.ts';
import { openReferences } from '../../evidence/evidence-references.ts';
import { REVIEW_ROLE } from '../../evidence/review-evidence.ts';
import { intentOf } from '../../evidence/step-intent.ts';
import { describeChanges } from '../../evidence/stored-changes.ts';
import { lastEnded } from '../../record/run-view.ts';
import type { RunContext } from '../../run-context.ts';

/** The maximum length of a transcript for an agent that asks for it. The end is kept, because it says the most. */
const TRANSCRIPT_LIMIT = 65_536;

/** Inputs that the runtime provides to a prompt or an agent, besides those given with `--input`. */
type Inputs = Record<string, unknown>;

/**
 * The typed inputs of an agent step. Small ones are always included; large ones (the diff, the harness report) only if
 * the step or its prompt asks for them.
 */
export async function collectInputs(
  context: RunContext,
  step: AgentStep,
  entry: ActiveStep,
): Promise<Inputs> {
  const { plan } = context;
  const wanted = wantedInputs(context, step);
  const inputs: Inputs = {
    ...context.view().started.inputs,
    run_id: context.directory.runId,
    workflow_id: plan.workflowId,
    step_id: entry.stepId,
    component_kind: plan.componentKind,
    eval_profile: plan.evalProfile,
    ...(await judgementInputs(context)),
    step_intent: intentOf(context, step),
    human_feedback: presentFeedback(feedbackFor(context.events(), entry)),
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
    inputs.harness_report = valueRelativeToCheckout(
      validation && (await readEvidenceJson(context.directory, validation, 'harness_report')),
      [context.workspace.judgePath],
    );
  }
  return { ...inputs, ...(await wantedEvidence(context, wanted)) };
}

/** Names of the inputs that the step or its prompt asks for. */
export function wantedInputs(context: RunContext, step: AgentStep): ReadonlySet<string> {
  const prompt = promptOf(context, step);
  const listed = (prompt?.inputs ?? []).map(({ name }) => name);
  return new Set([...step.inputs, ...listed, ...context.deps.prompts.variables(prompt?.body ?? '')]);
}

const ENVELOPE_INPUTS = ['evidence', 'provenance_window', 'policy_events', 'allowed_next_steps'] as const;

const envelopeSchema = z.looseObject({
  evidence: z.looseObject({ policy_events: z.array(z.string()) }),
  provenance_window: z.array(z.unknown()),
  allowed_next_steps: z.array(z.string()),
});

/** The last evaluation's input, the latest review and the last transcript, if the step asks for them. */
async function wantedEvidence(context: RunContext, wanted: ReadonlySet<string>): Promise<Inputs> {
  const { directory } = context;
  const { steps } = context.view();
  const inputs: Inputs = {};
  if (ENVELOPE_INPUTS.some((name) => wanted.has(name))) {
    const evaluation = lastEnded(steps, 'EVALUATE');
    const stored = envelopeSchema.safeParse(
      evaluation && (await readEvidenceJson(directory, evaluation, 'planner_input')),
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

/** Returns a stale review, too: a refining agent needs to know what it said. */
async function lastReview({ directory, view }: RunContext): Promise<unknown> {
  for (const step of view().steps.toReversed()) {
    if (step.opcode !== 'RUN_AGENT' || step.termination === null) continue;
    const review = await readEvidenceJson(directory, step, REVIEW_ROLE);
    if (review !== null) return review;
  }
  return null;
}

export type Feedback = EventPayload<'human_feedback'>;

/** A user's comment at a gate since the last agent step. A recovery attempt gets it again. */
export function feedbackFor(events: readonly EventDraft[], entry: ActiveStep): Feedback | null {
  for (const event of events.toReversed()) {
    if (event.event_type === 'human_feedback') return event.payload;
    if (event.event_type !== 'step_started' || event.payload.opcode !== 'RUN_AGENT') continue;
    if (event.step_id !== entry.stepId || event.payload.visit !== entry.visit) return null;
  }
  return null;
}

/** As prompts get it: the comment includes what was said about lines and goldens, so that no prompt can omit it. */
function presentFeedback(feedback: Feedback | null): Feedback | null {
  return feedback === null ? null : { ...feedback, comment: feedbackText(feedback) ?? '' };
}

/** The latest decision, and the refinement package if the decision asks for a refinement. */
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
  const decisionRef = artifact?.path ?? last.stepId;
  const refinement = composeRefinementPackage(parsed.data, decisionRef);
  return {
    fix_instructions,
    refinement: refinement === null ? null : await openReferences(context, refinement, decisionRef),
    blockers,
    risk_flags,
  };
}

export type RenderedPrompt =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly message: string };

/** The prompt of a step. An inline prompt is a template like any other, with the step's `inputs`. */
function promptOf({ deps }: RunContext, step: AgentStep): Prompt | undefined {
  if (step.prompt.kind === 'reference') return deps.prompts.byRef.get(step.prompt.ref);
  return {
    ref: `of step "${step.id}"`,
    promptId: step.id,
    version: 1,
    role: 'task',
    status: 'current',
    intent: null,
    inputs: step.inputs.map((name) => ({ name, type: 'string', required: false })),
    schemaRef: null,
    body: step.prompt.text,
  };
}

/**
 * Renders the prompt of an agent. A comment from a gate is appended if the prompt has no variable for it; an inline
 * prompt gets fix instructions in the same way.
 */
export function renderTask(context: RunContext, step: AgentStep, inputs: Inputs): RenderedPrompt {
  const { prompts } = context.deps;
  const prompt = promptOf(context, step);
  if (prompt === undefined)
    return { ok: false, message: `the prompt of step "${step.id}" is not in any catalog` };
  const isInline = step.prompt.kind === 'inline';
  const rendered = isInline ? renderInline(context, prompt, inputs) : prompts.render(prompt, inputs);
  if (!rendered.ok) return rendered;
  const used = prompts.variables(prompt.body);
  const fix = inputs.fix_instructions as FixInstructions | null;
  const hasFix = !isInline || used.includes('fix_instructions') || used.includes('refinement');
  const feedback = inputs.human_feedback as Feedback | null;
  const sections = [
    ...(fix === null || hasFix ? [] : [fixSection(fix)]),
    ...(feedback === null || used.includes('human_feedback') ? [] : [feedbackSection(feedback)]),
  ];
  if (sections.length === 0) return rendered;
  return { ok: true, text: [rendered.text.trimEnd(), ...sections].join('\n\n') };
}

/** Text without template syntax is passed to the agent unchanged. */
function renderInline({ deps }: RunContext, prompt: Prompt, inputs: Inputs): RenderedPrompt {
  return hasTemplate(prompt.body) ? deps.prompts.render(prompt, inputs) : { ok: true, text: prompt.body };
}

export function feedbackSection({ by, comment }: Feedback): string {
  return `## What ${by} said at the gate\n\n${comment}`;
}

export function fixSection(fix: FixInstructions): string {
  const list = (title: string, items: readonly string[]) =>
    items.length === 0 ? [] : ['', `${title}:`, ...items.map((item) => `- ${item}`)];
  return [
    '## What the last evaluation asks for',
    '',
    fix.objective,
    ...list('Constraints', fix.constraints),
    ...list(
      'Edits',
      fix.edits.map(
        (edit) => `${edit.target}: ${edit.action}.\n  ${edit.rationale.replaceAll('\n', '\n  ')}`,
      ),
    ),
    ...list(
      'It is done when',
      fix.verification.map((check) => `\`${check.command}\`: ${check.expected_signal}`),
    ),
  ].join('\n');
}
