import { setTimeout as delay } from 'node:timers/promises';
import { ExpectedFailure } from '../../contracts/expected-failure.ts';
import { excerptReply } from '../../planner/table/floor.ts';
import { secretValuesOf } from '../../policy/secrets/secrets.ts';
import type { Planner } from '../../ports/planner.ts';
import type { PromptCatalog } from '../../ports/prompts.ts';
import { type AskOnce, type ModelAddress, openModel, type RequestEnd } from './model-client.ts';
import {
  type AskResult,
  createPromptedPlanner,
  type PlannerReply,
  type Question,
} from './prompted-planner.ts';
import { type RequestFailure, type RetryPolicy, retryDelayMs } from './retry.ts';

export interface ModelPlannerDeps {
  readonly address: ModelAddress;
  /** The variable that contains the key; null if the endpoint needs none. */
  readonly apiKeyEnv: string | null;
  readonly prompts: PromptCatalog;
  readonly secrets: readonly string[];
  /** Time limit of one request. */
  readonly timeoutMs: number;
  readonly retry: RetryPolicy;
  /** A random number between 0 and 1. */
  readonly random: () => number;
}

/** `setTimeout` fires at once for longer delays. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Asks a model through the AI SDK. */
export function createModelPlanner(deps: ModelPlannerDeps): Planner {
  const { provider, model, apiKey } = deps.address;
  return createPromptedPlanner({
    name: `model:${provider}/${model}`,
    family: 'model',
    prompts: deps.prompts,
    secrets: [...secretValuesOf({ PLANNER_KEY: apiKey ?? undefined }), ...deps.secrets],
    explainUnavailable: () => Promise.resolve(explainMissingKey(deps)),
    ask: (question) => askModel(deps, question),
  });
}

function explainMissingKey({ address, apiKeyEnv }: ModelPlannerDeps): string | null {
  if (address.apiKey !== null || apiKeyEnv === null) return null;
  return `${apiKeyEnv} is not set; it must contain the API key (planner.api_key_env)`;
}

type Attempt = RequestEnd | { readonly kind: 'timed_out' };

/** Retries transient failures until the time limit of the step. */
async function askModel(deps: ModelPlannerDeps, question: Question): Promise<AskResult> {
  const missingKey = explainMissingKey(deps);
  if (missingKey !== null) return answerUnavailable(deps, missingKey, 0);
  let ask: AskOnce;
  try {
    ask = await openModel(deps.address);
  } catch (error) {
    // A package of the SDK is not installed.
    if (error instanceof ExpectedFailure) return answerUnavailable(deps, error.message, 0);
    throw error;
  }
  const { timeoutMs: stepTimeoutMs = Number.POSITIVE_INFINITY } = question.asking;
  const startedMs = performance.now();
  const leftMs = () => stepTimeoutMs - (performance.now() - startedMs);
  for (let attempts = 1; ; attempts += 1) {
    const limitMs = Math.round(Math.min(deps.timeoutMs, leftMs()));
    const ended = await askWithin(ask, question, limitMs);
    if (ended.kind === 'answered') return { reply: readProposal(ended), usage: ended.usage, attempts };
    if (ended.kind === 'timed_out')
      return answerUnavailable(deps, `no answer within ${limitMs / 1_000} s`, attempts);
    const waitMs = retryDelayMs(ended.failure, attempts, deps.retry, deps.random());
    if (waitMs === null || waitMs >= leftMs())
      return answerUnavailable(deps, describeFailure(deps, ended, attempts), attempts);
    await delay(waitMs, undefined, { signal: question.signal });
  }
}

/** A truncated answer may still be complete JSON; if it is not, the summary says what truncated it. */
function readProposal({ answer, incompleteReason }: Extract<RequestEnd, { kind: 'answered' }>): PlannerReply {
  if (incompleteReason === null || typeof answer !== 'string') return { kind: 'proposal', proposal: answer };
  if (answer.trim() === '')
    return {
      kind: 'no_proposal',
      code: 'planner_reply_missing',
      summary: `the planner gave no reply: ${incompleteReason}`,
    };
  const summary = `the planner's reply is not a decision (${incompleteReason}): ${excerptReply(answer)}`;
  return { kind: 'no_proposal', code: 'planner_reply_invalid', summary, received: answer };
}

async function askWithin(ask: AskOnce, question: Question, limitMs: number): Promise<Attempt> {
  question.signal.throwIfAborted();
  // `AbortSignal.timeout` would not keep the process alive until it fires.
  const controller = new AbortController();
  const stop = () => controller.abort();
  const timer = setTimeout(stop, Math.max(0, Math.min(limitMs, LONGEST_TIMER_MS)));
  question.signal.addEventListener('abort', stop, { once: true });
  try {
    return await ask(question, controller.signal);
  } catch (error) {
    question.signal.throwIfAborted();
    if (controller.signal.aborted) return { kind: 'timed_out' };
    throw error;
  } finally {
    clearTimeout(timer);
    question.signal.removeEventListener('abort', stop);
  }
}

/** The answer of a planner that could not be asked. The usage is unknown: failed requests don't report it. */
function answerUnavailable({ address }: ModelPlannerDeps, reason: string, attempts: number): AskResult {
  const summary = `the model ${address.model} of ${address.provider} could not be asked: ${reason}`;
  return { reply: { kind: 'no_proposal', code: 'planner_unavailable', summary }, usage: null, attempts };
}

function describeFailure(
  { address, apiKeyEnv }: ModelPlannerDeps,
  { failure, message }: Extract<RequestEnd, { kind: 'failed' }>,
  attempts: number,
): string {
  const tried = attempts === 1 ? '' : ` after ${attempts} attempts`;
  const place = address.baseUrl === null ? '' : ` at ${address.baseUrl}`;
  const text = `${excerptReply(message)}${place}${tried}`;
  if (failure.status === null) return text;
  const key = failure.status === 401 || failure.status === 403 ? keyHint(apiKeyEnv) : '';
  return `it answered with status ${failure.status}: ${text}${key}${waitHint(failure)}`;
}

/** Says when resuming the run makes sense. */
function waitHint({ retryAfterMs }: RequestFailure): string {
  return retryAfterMs === null || retryAfterMs === 0
    ? ''
    : `; it can be asked again in ${Math.ceil(retryAfterMs / 1_000)} s`;
}

function keyHint(apiKeyEnv: string | null): string {
  return apiKeyEnv === null
    ? '; no API key was sent: planner.api_key_env is not set'
    : `; the key came from ${apiKeyEnv}`;
}
