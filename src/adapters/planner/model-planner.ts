import { setTimeout as delay } from 'node:timers/promises';
import { ExpectedFailure } from '../../contracts/expected-failure.ts';
import type { Usage } from '../../contracts/run/agent-result.ts';
import { excerptReply } from '../../planner/table/floor.ts';
import { secretValuesOf } from '../../policy/secrets.ts';
import type { Planner } from '../../ports/planner.ts';
import type { PromptCatalog } from '../../ports/prompts.ts';
import { type AskOnce, type ModelAddress, openModel, type RequestEnd } from './model-client.ts';
import { createPromptedPlanner, type PlannerReply, type Question, type Reply } from './prompted-planner.ts';
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

/** Asks a model through the AI SDK. */
export function createModelPlanner(deps: ModelPlannerDeps): Planner {
  const { provider, model, apiKey } = deps.address;
  return createPromptedPlanner({
    name: `model:${provider}/${model}`,
    family: 'model',
    prompts: deps.prompts,
    secrets: [...secretValuesOf({ PLANNER_KEY: apiKey ?? undefined }), ...deps.secrets],
    unavailable: () => Promise.resolve(explainMissingKey(deps)),
    ask: (question) => askModel(deps, question),
  });
}

function explainMissingKey({ address, apiKeyEnv }: ModelPlannerDeps): string | null {
  if (address.apiKey !== null || apiKeyEnv === null) return null;
  return `the environment variable ${apiKeyEnv} with its key is not set`;
}

type Attempt = RequestEnd | { readonly kind: 'timed_out' };

/** Retries transient failures until the time limit of the step. */
async function askModel(deps: ModelPlannerDeps, question: Question): Promise<Reply> {
  const missing = explainMissingKey(deps);
  if (missing !== null) return { said: unavailable(deps, missing), usage: null, attempts: 0 };
  const opened = await openModel(deps.address).catch(missingPackageOf);
  if (typeof opened === 'string') return { said: unavailable(deps, opened), usage: null, attempts: 0 };
  const { timeoutMs: wholeMs = Number.POSITIVE_INFINITY } = question.asking;
  const startedMs = performance.now();
  const leftMs = () => wholeMs - (performance.now() - startedMs);
  for (let attempts = 1; ; attempts += 1) {
    const limitMs = Math.round(Math.min(deps.timeoutMs, leftMs()));
    const ended = await askWithin(opened, question, limitMs);
    if (ended.kind === 'answered') return { said: readProposal(ended), usage: ended.usage, attempts };
    if (ended.kind === 'timed_out')
      return { said: unavailable(deps, `no answer within ${limitMs / 1_000} s`), ...UNKNOWN_USAGE, attempts };
    const waitMs = retryDelayMs(ended.failure, attempts, deps.retry, deps.random());
    if (waitMs === null || waitMs >= leftMs())
      return { said: unavailable(deps, failureText(deps, ended, attempts)), ...UNKNOWN_USAGE, attempts };
    await delay(waitMs, undefined, { signal: question.signal });
  }
}

function missingPackageOf(error: unknown): string {
  if (error instanceof ExpectedFailure) return error.message;
  throw error;
}

/** A truncated answer may still be complete JSON; if it is not, the summary says what truncated it. */
function readProposal({ answer, truncationReason }: Extract<RequestEnd, { kind: 'answered' }>): PlannerReply {
  if (truncationReason === null || typeof answer !== 'string') return { kind: 'proposal', proposal: answer };
  if (answer.trim() === '')
    return {
      kind: 'nothing',
      code: 'planner_reply_missing',
      summary: `the planner gave no reply: ${truncationReason}`,
    };
  const summary = `the reply of the planner is no decision: ${truncationReason}; it was: ${excerptReply(answer)}`;
  return { kind: 'nothing', code: 'planner_reply_invalid', summary, came: answer };
}

/** Failed requests don't report their usage. */
const UNKNOWN_USAGE: { readonly usage: Usage | null } = { usage: null };

async function askWithin(ask: AskOnce, question: Question, limitMs: number): Promise<Attempt> {
  question.signal.throwIfAborted();
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

/** `setTimeout` fires at once for longer delays. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

function unavailable(deps: ModelPlannerDeps, why: string): PlannerReply {
  const { provider, model } = deps.address;
  return {
    kind: 'nothing',
    code: 'planner_unavailable',
    summary: `the model ${model} of ${provider} could not be asked: ${why}`,
  };
}

function failureText(
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
    ? '; no key was sent, since planner.api_key_env names none'
    : `; the key came from ${apiKeyEnv}`;
}
