import { randomBytes } from 'node:crypto';
import type { PlannerInput } from '../../contracts/planner/planner-input.ts';
import type { Evaluation } from '../../contracts/planner/planner-trace.ts';
import type { Usage } from '../../contracts/run/agent-result.ts';
import { createFence } from '../../planner/prompts/fence.ts';
import { composePromptInputs } from '../../planner/prompts/prompt-inputs.ts';
import { createProposalSchema, type ProposalSchema } from '../../planner/prompts/proposal-schema.ts';
import { composeQuestion, type RunMaterial } from '../../planner/prompts/question.ts';
import { evaluateByRules } from '../../planner/table/evaluation.ts';
import { applyFloor, refuseProposal } from '../../planner/table/floor.ts';
import { maskSecrets, maskValue } from '../../policy/secrets/secrets.ts';
import type { EvaluateOptions, Planner } from '../../ports/planner.ts';
import type { PromptCatalog, RenderResult } from '../../ports/prompts.ts';

/** One question to a model or an agent. */
export interface Question {
  readonly prompt: string;
  readonly schema: ProposalSchema;
  readonly asking: EvaluateOptions;
  readonly signal: AbortSignal;
}

export interface AskResult {
  readonly reply: PlannerReply;
  /** Sum over all attempts; null if unknown. */
  readonly usage: Usage | null;
  readonly attempts: number;
}

export type PlannerReply =
  | { readonly kind: 'proposal'; readonly proposal: unknown }
  /** No usable reply. `received` is what arrived instead, if anything. */
  | {
      readonly kind: 'no_proposal';
      readonly code: string;
      readonly summary: string;
      readonly received?: unknown;
    };

export interface PromptedPlannerDeps {
  readonly name: string;
  readonly family: 'model' | 'agent';
  readonly prompts: PromptCatalog;
  /** Values that must not appear in any record. */
  readonly secrets: readonly string[];
  readonly explainUnavailable: () => Promise<string | null>;
  /** Rejects only when the signal of the question is aborted. */
  readonly ask: (question: Question) => Promise<AskResult>;
}

/**
 * A planner that asks a model or an agent and checks the answer against the rules: the decision can be worse
 * than theirs, but not better.
 */
export function createPromptedPlanner(deps: PromptedPlannerDeps): Planner {
  return {
    name: deps.name,
    family: deps.family,
    explainUnavailable: deps.explainUnavailable,
    evaluate: (input, signal, asking = {}) => evaluateByPrompt(deps, input, signal, asking),
  };
}

async function evaluateByPrompt(
  deps: PromptedPlannerDeps,
  input: PlannerInput,
  signal: AbortSignal,
  asking: EvaluateOptions,
): Promise<Evaluation> {
  const byRules = evaluateByRules(input);
  // If the rules can't read the evidence, the planner can't either.
  if (byRules.trace.rows.length === 0) return byRules;
  const prompt = await renderQuestion(deps.prompts, input, asking);
  const asked: AskResult = prompt.ok
    ? await deps.ask({
        prompt: maskSecrets(prompt.text, deps.secrets),
        schema: createProposalSchema(input.allowed_next_steps),
        asking,
        signal,
      })
    : {
        reply: { kind: 'no_proposal', code: 'planner_prompt_unusable', summary: prompt.message },
        usage: null,
        attempts: 0,
      };
  return applyRules(deps, byRules, asked, input);
}

/**
 * Applies the rules to the reply. The proposal is checked against the schema here, so that the check is the
 * same for every source.
 */
function applyRules(
  deps: PromptedPlannerDeps,
  byRules: Evaluation,
  asked: AskResult,
  input: PlannerInput,
): Evaluation {
  const { floor, rows } = byRules.trace;
  const { reply, usage, attempts } = asked;
  const floored =
    reply.kind === 'proposal'
      ? applyFloor(maskValue(reply.proposal, deps.secrets), floor, input)
      : refuseProposal(
          { code: reply.code, summary: maskSecrets(reply.summary, deps.secrets) },
          maskValue(reply.received ?? null, deps.secrets),
          floor,
          input,
        );
  const { decision, verdict, proposal } = floored;
  return { decision, trace: { floor, proposal: proposal ?? null, verdict, rows, usage, attempts } };
}

/** Inputs that a run provides besides those that the prompt declares. */
const MATERIAL = ['task', 'diff', 'claims'];

async function renderQuestion(
  prompts: PromptCatalog,
  input: PlannerInput,
  asking: EvaluateOptions,
): Promise<RenderResult> {
  const prompt = prompts.byRef.get(input.evaluate_prompt);
  if (prompt === undefined)
    return { ok: false, message: `the prompt ${input.evaluate_prompt} is not in any catalog` };
  const names = [...prompt.inputs.map(({ name }) => name), ...MATERIAL];
  const material: RunMaterial & Record<string, unknown> = (await asking.inputs?.(names)) ?? {};
  const fence = createFence(randomBytes(16).toString('hex'));
  const rendered = prompts.render(prompt, composePromptInputs(input, material), fence.wrap);
  if (!rendered.ok) return rendered;
  const uses = prompts.variables(prompt.body);
  return { ok: true, text: composeQuestion(input, material, { text: rendered.text, uses }, fence) };
}

/**
 * Stands in for a planner that is configured but not available. Each evaluation is then blocked or worse: the
 * rules set the lower bound, but they don't replace the planner.
 */
export function createUnavailablePlanner(
  name: string,
  family: 'model' | 'agent',
  reason: string,
  prompts: PromptCatalog,
): Planner {
  return createPromptedPlanner({
    name,
    family,
    prompts,
    secrets: [],
    explainUnavailable: () => Promise.resolve(reason),
    ask: () =>
      Promise.resolve({
        reply: {
          kind: 'no_proposal',
          code: 'planner_unavailable',
          summary: `the planner ${name}: ${reason}`,
        },
        usage: null,
        attempts: 0,
      }),
  });
}
