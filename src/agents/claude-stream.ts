import * as z from 'zod';
import type { Usage } from '../contracts/run/agent-result.ts';
import { REFUSED_TOOL, statusIn } from './failure.ts';
import { sumUsage } from './prices.ts';
import { type AgentStream, type Folded, NO_RESULT, type StreamProblem } from './stream-verdict.ts';
import type { TranscriptEntry } from './transcript.ts';

/**
 * Reads the output of `claude -p --output-format stream-json --verbose`. Unused fields are omitted from the
 * schemas.
 */

const count = z.int().nonnegative().nullish().catch(null);
const usageSchema = z.looseObject({
  input_tokens: count,
  cache_creation_input_tokens: count,
  cache_read_input_tokens: count,
  output_tokens: count,
});
type TokenCounts = z.infer<typeof usageSchema>;

const blockSchema = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  thinking: z.string().optional(),
  id: z.string().optional(),
  name: z.string().optional(),
  input: z.unknown().optional(),
  tool_use_id: z.string().optional(),
  content: z.unknown().optional(),
  is_error: z.boolean().nullish(),
});
type Block = z.infer<typeof blockSchema>;

const messageSchema = z.looseObject({
  id: z.string().optional(),
  content: z.union([z.string(), z.array(z.unknown())]).optional(),
  usage: usageSchema.nullish().catch(null),
});

const text = z.string().nullish().catch(null);
const eventSchema = z.looseObject({
  type: z.string(),
  subtype: text,
  session_id: text,
  model: text,
  message: messageSchema.nullish().catch(null),
  parent_tool_use_id: text,
  /** Set on a synthetic answer that the program creates because the provider gave none. */
  error: z.unknown().optional(),
  error_status: z.int().nullish().catch(null),
  attempt: z.int().nullish().catch(null),
  max_retries: z.int().nullish().catch(null),
  rate_limit_info: z
    .looseObject({ status: text, resetsAt: z.union([z.number(), z.string()]).nullish().catch(null) })
    .nullish()
    .catch(null),
});
type ClaudeEvent = z.infer<typeof eventSchema>;

const resultSchema = z.looseObject({
  is_error: z.boolean().nullish(),
  subtype: text,
  result: text,
  errors: z.array(z.string()).nullish().catch(null),
  api_error_status: z.int().nullish().catch(null),
  total_cost_usd: z.number().nonnegative().nullish().catch(null),
  usage: usageSchema.nullish().catch(null),
  permission_denials: z.array(z.unknown()).nullish(),
});
type ClaudeResult = z.infer<typeof resultSchema>;

export interface ClaudeState {
  readonly sessionId: string | null;
  readonly model: string | null;
  readonly lastText: string;
  readonly usage: Usage | null;
  /**
   * The part of `usage` that belongs to ended turns: each result reports the tokens of its own turn, and the
   * cost of all.
   */
  readonly settled: Usage | null;
  /** Ids of the latest counted messages: each message arrives in one event per content block. */
  readonly counted: readonly string[];
  readonly openTools: Readonly<Record<string, number>>;
  readonly errorCode: string | null;
  /** Set if the account was rejected by a rate limit, with the reset time if it was reported. */
  readonly limit: { readonly resets: string | null } | null;
  readonly result: ClaudeResult | null;
}

const INITIAL_STATE: ClaudeState = {
  sessionId: null,
  model: null,
  lastText: '',
  usage: null,
  settled: null,
  counted: [],
  openTools: {},
  errorCode: null,
  limit: null,
  result: null,
};

const COUNTED_LIMIT = 64;
const OPEN_TOOLS_LIMIT = 256;

export const claudeStream: AgentStream<ClaudeState> = {
  start: INITIAL_STATE,
  fold: (state, event, atMs) => {
    const parsed = eventSchema.safeParse(event);
    if (!parsed.success) return { state, entries: [] };
    const { session_id: sessionId } = parsed.data;
    return foldEvent({ ...state, sessionId: sessionId ?? state.sessionId }, parsed.data, event, atMs);
  },
  told: (state) => ({
    sessionId: state.sessionId,
    model: state.model,
    finalResponse: state.result?.result ?? state.lastText,
    usage: state.usage,
    problem: findProblem(state),
  }),
};

function foldEvent(state: ClaudeState, event: ClaudeEvent, raw: unknown, atMs: number): Folded<ClaudeState> {
  switch (event.type) {
    case 'assistant':
      return foldAnswer(state, event, atMs);
    case 'user':
      return foldToolResults(state, event, atMs);
    case 'result':
      return foldResult(state, raw);
    case 'system':
      return foldSystem(state, event);
    case 'rate_limit_event':
      return foldRateLimit(state, event);
    default:
      return { state, entries: [] };
  }
}

function foldAnswer(state: ClaudeState, event: ClaudeEvent, atMs: number): Folded<ClaudeState> {
  const entries: TranscriptEntry[] = [];
  let { lastText } = state;
  const openTools = { ...state.openTools };
  for (const block of parseBlocks(event)) {
    const { type, text: said = '', thinking = '', id, name = 'a tool' } = block;
    if (type === 'text' && said.trim() !== '') {
      entries.push({ kind: 'said', text: said });
      // Messages of a subagent are not the final response of the agent.
      if (typeof event.parent_tool_use_id !== 'string') lastText = said;
    }
    if (type === 'thinking' && thinking.trim() !== '') entries.push({ kind: 'thought', text: thinking });
    if (type === 'tool_use') {
      entries.push({ kind: 'tool_use', name, input: formatInput(block.input) });
      if (id !== undefined && Object.keys(openTools).length < OPEN_TOOLS_LIMIT) openTools[id] = atMs;
    }
  }
  const errorCode = typeof event.error === 'string' ? event.error : null;
  return { state: { ...state, ...countUsage(state, event), lastText, openTools, errorCode }, entries };
}

/** A lower bound until the end of the turn: messages are streamed before they are complete. */
function countUsage(state: ClaudeState, { message }: ClaudeEvent): Pick<ClaudeState, 'usage' | 'counted'> {
  const { usage, counted } = state;
  const id = message?.id;
  const used = readTokens(message?.usage);
  if (id === undefined || used === null || counted.includes(id)) return { usage, counted };
  return { usage: sumUsage([usage, used]), counted: [...counted, id].slice(-COUNTED_LIMIT) };
}

/** Reads and writes of the cache count as input. Null if no count is reported. */
function readTokens(counts: TokenCounts | null | undefined): Usage | null {
  const {
    input_tokens: fresh,
    cache_creation_input_tokens: kept,
    cache_read_input_tokens: again,
  } = counts ?? {};
  const read = [fresh, kept, again].filter((number) => typeof number === 'number');
  const written = counts?.output_tokens ?? null;
  if (read.length === 0 && written === null) return null;
  return { input_tokens: read.reduce((a, b) => a + b, 0), output_tokens: written ?? 0 };
}

function foldToolResults(state: ClaudeState, event: ClaudeEvent, atMs: number): Folded<ClaudeState> {
  const entries: TranscriptEntry[] = [];
  const openTools = { ...state.openTools };
  for (const { type, tool_use_id: id = '', content, is_error: isError } of parseBlocks(event)) {
    if (type !== 'tool_result') continue;
    const startedMs = Object.hasOwn(openTools, id) ? openTools[id] : undefined;
    delete openTools[id];
    entries.push({
      kind: 'tool_result',
      text: contentText(content),
      isError: isError === true,
      durationMs: startedMs === undefined ? null : Math.max(0, Math.round(atMs - startedMs)),
    });
  }
  return { state: { ...state, openTools }, entries };
}

function foldResult(state: ClaudeState, raw: unknown): Folded<ClaudeState> {
  const parsed = resultSchema.safeParse(raw);
  if (!parsed.success)
    return { state, entries: [{ kind: 'notice', text: "the agent's result event is invalid" }] };
  const { usage: counts, total_cost_usd: cost } = parsed.data;
  const used = readTokens(counts);
  const tokens = used === null ? state.usage : sumUsage([state.settled, used]);
  const usage = typeof cost === 'number' ? { ...tokens, cost_usd: cost } : tokens;
  const denied = listDeniedTools(parsed.data);
  const entries: TranscriptEntry[] =
    denied.length === 0 ? [] : [{ kind: 'notice', text: `refused tools: ${denied.join(', ')}` }];
  return { state: { ...state, usage, settled: usage, result: parsed.data }, entries };
}

const denialSchema = z.looseObject({ tool_name: z.string() });

function listDeniedTools({ permission_denials: denials }: ClaudeResult): string[] {
  return (denials ?? []).map((denial) => denialSchema.safeParse(denial).data?.tool_name ?? 'a tool');
}

function foldSystem(state: ClaudeState, event: ClaudeEvent): Folded<ClaudeState> {
  if (event.subtype === 'init') return { state: { ...state, model: event.model ?? null }, entries: [] };
  if (event.subtype !== 'api_retry') return { state, entries: [] };
  const code = typeof event.error === 'string' ? event.error : 'a failure';
  const status = typeof event.error_status === 'number' ? ` ${event.error_status}` : '';
  const attempt = `attempt ${event.attempt ?? '?'} of ${event.max_retries ?? '?'}`;
  return { state, entries: [{ kind: 'notice', text: `retrying after ${code}${status}, ${attempt}` }] };
}

function foldRateLimit(state: ClaudeState, { rate_limit_info: info }: ClaudeEvent): Folded<ClaudeState> {
  if (info?.status !== 'rejected') return { state, entries: [] };
  const resets = typeof info.resetsAt === 'number' ? Math.round(info.resetsAt) : (info.resetsAt ?? null);
  return {
    state: { ...state, limit: { resets: resets === null ? null : String(resets) } },
    entries: [{ kind: 'notice', text: "the account's usage limit is reached" }],
  };
}

function findProblem({ result, errorCode, limit }: ClaudeState): StreamProblem | null {
  const resets = limit?.resets ?? null;
  const reportedCode = errorCode ?? (limit === null ? null : LIMIT_REACHED);
  if (result === null) {
    const message = 'ended without a result';
    return { message, status: null, code: reportedCode ?? NO_RESULT, resets, deniedTools: [] };
  }
  const deniedTools = [...new Set(listDeniedTools(result))];
  if (hasFailed(result)) {
    const messages = [result.result ?? '', ...(result.errors ?? [])].filter((each) => each.trim() !== '');
    const why = messages.length === 0 ? (result.subtype ?? 'no reason') : messages.join('; ');
    // Older versions report the status only in the message.
    const status = result.api_error_status ?? statusIn(why);
    return { message: `failed: ${why}`, status, code: pickCode(result, reportedCode), resets, deniedTools };
  }
  if (deniedTools.length === 0) return null;
  const message = `was refused ${deniedTools.length === 1 ? 'a tool' : 'tools'}: ${deniedTools.join(', ')}`;
  return { message, status: null, code: REFUSED_TOOL, resets: null, deniedTools };
}

/** The provider's error code; used if the account was rejected and no other error was reported. */
const LIMIT_REACHED = 'usage_limit_reached';

/** Some versions mark an incomplete run as an error only by its subtype. */
function hasFailed({ is_error: isError, subtype }: ClaudeResult): boolean {
  return isError === true || subtype?.startsWith('error') === true;
}

/** For an unknown error, at least distinguishes a failure of the provider. */
function pickCode({ result, subtype }: ClaudeResult, reportedCode: string | null): string | null {
  if (reportedCode === 'unknown' && result?.startsWith('API Error') === true) return 'api_error';
  return reportedCode ?? (subtype === 'success' ? null : (subtype ?? null));
}

function parseBlocks({ message }: ClaudeEvent): Block[] {
  const content = message?.content ?? [];
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return content.flatMap((block) => {
    const parsed = blockSchema.safeParse(block);
    return parsed.success ? [parsed.data] : [];
  });
}

/** The most descriptive field of a tool's input, or all of them. */
function formatInput(input: unknown): string {
  if (typeof input === 'string') return input;
  if (typeof input !== 'object' || input === null) return JSON.stringify(input) ?? '';
  const fields = new Map<string, unknown>(Object.entries(input));
  const field = ['command', 'file_path', 'notebook_path', 'pattern', 'url', 'query', 'description']
    .map((name) => fields.get(name))
    .find((value) => typeof value === 'string');
  return typeof field === 'string' ? field : JSON.stringify(input);
}

function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return content === undefined ? '' : JSON.stringify(content);
  return content
    .map((part: unknown) => {
      const parsed = blockSchema.safeParse(part);
      return parsed.success ? (parsed.data.text ?? `[${parsed.data.type}]`) : '';
    })
    .join('\n');
}
