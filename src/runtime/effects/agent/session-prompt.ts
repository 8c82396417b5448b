import type { FixInstructions } from '../../../contracts/planner/planner-decision.ts';
import { stepFolderOf } from '../../../contracts/run/run-files.ts';
import type { AgentStep } from '../../../kernel/plan.ts';
import type { ActiveStep } from '../../../kernel/state.ts';
import { parseJsonObject } from '../../../text/json.ts';
import type { StepView } from '../../record/run-view.ts';
import type { RunContext } from '../../run-context.ts';
import { type Feedback, feedbackSection, fixSection, wantedInputs } from './step-inputs.ts';

type Inputs = Readonly<Record<string, unknown>>;

/** Inputs that have their own sections. */
const OWN_SECTIONS = ['fix_instructions', 'refinement', 'human_feedback'];

/** The prompt for an agent that continues its session: only what is new since its last visit. */
export async function composeNewInstructions(
  context: RunContext,
  step: AgentStep,
  entry: ActiveStep,
  { inputs, earlier }: { readonly inputs: Inputs; readonly earlier: StepView },
): Promise<string> {
  const fix = isEvaluatedSince(context, earlier) ? (inputs.fix_instructions as FixInstructions | null) : null;
  const feedback = inputs.human_feedback as Feedback | null;
  const sections = [
    ...(fix === null ? [] : [fixSection(fix)]),
    ...(feedback === null ? [] : [feedbackSection(feedback)]),
    ...(await listChangedInputs(context, step, inputs, earlier)),
  ];
  return [
    `This continues your session for step \`${step.id}\`, visit ${entry.visit}. Your earlier instructions still hold, also for how ` +
      'your answer has to end. This is new:',
    ...(sections.length === 0 ? [describeReturn(context, step)] : sections),
  ].join('\n\n');
}

function isEvaluatedSince({ view }: RunContext, earlier: StepView): boolean {
  const { steps } = view();
  const lastEvaluation = steps.findLastIndex(
    ({ opcode, termination }) => opcode === 'EVALUATE' && termination !== null,
  );
  return lastEvaluation > steps.indexOf(earlier);
}

/** Inputs that the step or its prompt asks for, if they differ from those of the previous visit. */
async function listChangedInputs(
  context: RunContext,
  step: AgentStep,
  inputs: Inputs,
  { stepId, attempt }: StepView,
): Promise<string[]> {
  const text = await context.directory.read(`${stepFolderOf(stepId, attempt)}/inputs.json`);
  const before = new Map(Object.entries(parseJsonObject(text) ?? {}));
  return [...wantedInputs(context, step)].flatMap((name) => {
    const value = inputs[name] ?? null;
    const isUnchanged = JSON.stringify(value) === JSON.stringify(before.get(name) ?? null);
    if (OWN_SECTIONS.includes(name) || value === null || isUnchanged) return [];
    const shown = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
    return shown.trim() === '' ? [] : [`## ${name}\n\n${shown}`];
  });
}

/** If nothing else is new: which step led back here, and how it ended. */
function describeReturn({ view }: RunContext, step: AgentStep): string {
  const { routes, steps } = view();
  const route = routes.findLast(({ to }) => to === step.id);
  if (route === undefined) return 'The work is not finished yet. Look at what is missing, and finish it.';
  const reason = steps.findLast(({ stepId }) => stepId === route.from)?.reason ?? null;
  const why = reason === null ? '' : `: ${reason}`;
  return `Step \`${route.from}\` came to \`${route.key}\`${why}. Look at what is missing, and finish the work.`;
}
