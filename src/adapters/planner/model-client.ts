import type { LanguageModel, LanguageModelUsage } from 'ai';
import type { ModelProvider } from '../../contracts/config/config.ts';
import { loadOptional } from '../../contracts/expected-failure.ts';
import type { Usage } from '../../contracts/run/agent-result.ts';
import type { ProposalSchema } from '../../planner/prompts/proposal-schema.ts';
import { parseRetryAfter, type RequestFailure } from './retry.ts';

export interface ModelAddress {
  readonly provider: ModelProvider;
  readonly model: string;
  /** Null for the provider's default. */
  readonly baseUrl: string | null;
  /** Null if the endpoint needs no key. */
  readonly apiKey: string | null;
}

/** How one request to a model ended. */
export type RequestEnd =
  | {
      readonly kind: 'answered';
      readonly answer: unknown;
      readonly usage: Usage | null;
      /** Why the answer ended early; null if it is complete. */
      readonly incompleteReason: string | null;
    }
  | { readonly kind: 'failed'; readonly failure: RequestFailure; readonly message: string };

/** Sends one request. Rejects only when the signal is aborted. */
export type AskOnce = (
  question: { readonly prompt: string; readonly schema: ProposalSchema },
  signal: AbortSignal,
) => Promise<RequestEnd>;

/** Loads the SDK on demand, so that runs without a model don't pay for its load time. */
export async function openModel(address: ModelAddress): Promise<AskOnce> {
  const ai = await load('ai', () => import('ai'));
  // Keeps the SDK from printing warnings into the output of a command.
  globalThis.AI_SDK_LOG_WARNINGS = false;
  const model = await createModel(address);
  return async ({ prompt, schema }, signal) => {
    const output = ai.Output.object({ schema: ai.jsonSchema(schema), name: 'planner_decision' });
    try {
      const result = await ai.generateText({ model, prompt, output, maxRetries: 0, abortSignal: signal });
      // The SDK parses the output only if the finish reason is `stop`; some endpoints send another one.
      const answer = result.finishReason === 'stop' ? result.output : parseOrText(result.text);
      return createAnswer(answer, result.totalUsage, explainIncomplete(result.finishReason, result.response));
    } catch (error) {
      signal.throwIfAborted();
      if (ai.NoObjectGeneratedError.isInstance(error))
        return createAnswer(
          error.text ?? '',
          error.usage,
          explainIncomplete(error.finishReason, error.response),
        );
      const call = ai.APICallError.isInstance(error) ? error : null;
      if (call?.statusCode !== 200) return createFailure(error, call);
      // Status 200 without a body: the connection broke during the answer. With one: it is not a valid response.
      return call.responseBody === undefined
        ? createFailure(error, null)
        : createAnswer(call.responseBody, undefined, null);
    }
  };
}

function createAnswer(
  answer: unknown,
  usage: LanguageModelUsage | undefined,
  incompleteReason: string | null,
): Extract<RequestEnd, { kind: 'answered' }> {
  return { kind: 'answered', answer, usage: toUsage(usage), incompleteReason };
}

function explainIncomplete(finishReason: string | undefined, response: unknown): string | null {
  const refusal = findRefusal(response, REFUSAL_DEPTH);
  if (refusal !== null) return `the model refused to answer: ${refusal}`;
  switch (finishReason) {
    case 'length':
      return 'its answer was cut off at the output limit of the model';
    case 'content-filter':
      return "the provider's content filter blocked the answer";
    case 'tool-calls':
      return 'the model called a tool instead of answering';
    default:
      return null;
  }
}

const REFUSAL_DEPTH = 8;

/** Providers report a refusal in different places of the response, and the SDK does not expose it. */
function findRefusal(value: unknown, depth: number): string | null {
  if (typeof value !== 'object' || value === null || depth === 0) return null;
  for (const [key, inner] of Object.entries(value)) {
    if (key === 'refusal' && typeof inner === 'string' && inner.trim() !== '') return inner.trim();
    const found = findRefusal(inner, depth - 1);
    if (found !== null) return found;
  }
  return null;
}

/** Returns the text itself if it is not JSON, such as a truncated answer. */
function parseOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

async function createModel({ provider, model, baseUrl, apiKey }: ModelAddress): Promise<LanguageModel> {
  const place = baseUrl === null ? {} : { baseURL: baseUrl };
  const key = apiKey ?? '';
  switch (provider) {
    case 'anthropic': {
      const { createAnthropic } = await load('@ai-sdk/anthropic', () => import('@ai-sdk/anthropic'));
      return createAnthropic({ ...place, apiKey: key })(model);
    }
    case 'openai': {
      const { createOpenAI } = await load('@ai-sdk/openai', () => import('@ai-sdk/openai'));
      return createOpenAI({ ...place, apiKey: key }).responses(model);
    }
    case 'openai-compatible': {
      const { createOpenAICompatible } = await load(
        '@ai-sdk/openai-compatible',
        () => import('@ai-sdk/openai-compatible'),
      );
      return createOpenAICompatible({
        name: 'compatible',
        baseURL: baseUrl ?? '',
        supportsStructuredOutputs: true,
        ...(apiKey === null ? {} : { apiKey }),
      }).chatModel(model);
    }
  }
}

/** The packages are optional peers: the command line bundles them, users of the library install those they need. */
function load<T>(name: string, loader: () => Promise<T>): Promise<T> {
  return loadOptional('a planner that asks a model', name, loader);
}

interface CallError {
  readonly message: string;
  readonly statusCode?: number | undefined;
  readonly responseHeaders?: Record<string, string> | undefined;
  readonly responseBody?: string | undefined;
}

function createFailure(error: unknown, call: CallError | null): RequestEnd {
  const status = call?.statusCode ?? null;
  return {
    kind: 'failed',
    failure: { status, retryAfterMs: parseRetryAfter(call?.responseHeaders, Date.now()) },
    message: describeErrorChain(error),
  };
}

/** The outermost message of a network error only says that something failed, so the causes are added. */
function describeErrorChain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : null;
  const inner = error.cause instanceof Error ? describeErrorChain(error.cause) : null;
  const own = error.message === '' ? (code ?? error.name) : error.message;
  return inner === null || own.includes(inner) ? own : `${own}: ${inner}`;
}

function toUsage(usage: LanguageModelUsage | undefined): Usage | null {
  const { inputTokens, outputTokens } = usage ?? {};
  if (inputTokens === undefined && outputTokens === undefined) return null;
  return {
    ...(inputTokens === undefined ? {} : { input_tokens: inputTokens }),
    ...(outputTokens === undefined ? {} : { output_tokens: outputTokens }),
  };
}
