import * as z from 'zod';
import type { Usage } from '../contracts/run/agent-result.ts';
import { parseJson } from '../text/json.ts';
import { statusIn } from './failure.ts';
import { type AgentStream, type Folded, NO_RESULT, type StreamProblem } from './stream-verdict.ts';
import type { TranscriptEntry } from './transcript.ts';

/** Reads the output of `codex exec --json`. Unused fields are omitted from the schemas. */

const text = z.string().nullish().catch(null);
/** An object with a message, or the message itself. */
const failureSchema = z
  .union([z.looseObject({ message: text }), z.string().transform((message) => ({ message }))])
  .nullish()
  .catch(null);
const count = z.int().nonnegative().nullish().catch(null);
const itemSchema = z.looseObject({
  id: text,
  type: z.string(),
  text,
  command: text,
  aggregated_output: text,
  exit_code: z.int().nullish().catch(null),
  status: text,
  changes: z
    .array(z.looseObject({ path: z.string(), kind: text }))
    .nullish()
    .catch(null),
  message: text,
  query: text,
  server: text,
  tool: text,
  arguments: z.unknown().optional(),
  /** The result of an MCP tool. */
  result: z
    .looseObject({ content: z.array(z.looseObject({ text })) })
    .nullish()
    .catch(null),
  error: failureSchema,
  items: z
    .array(z.looseObject({ text, completed: z.boolean().nullish() }))
    .nullish()
    .catch(null),
});
type Item = z.infer<typeof itemSchema>;

const eventSchema = z.looseObject({
  type: z.string(),
  thread_id: text,
  message: text,
  error: failureSchema,
  item: itemSchema.nullish().catch(null),
  usage: z.looseObject({ input_tokens: count, output_tokens: count }).nullish().catch(null),
});
type CodexEvent = z.infer<typeof eventSchema>;

export interface CodexState {
  readonly sessionId: string | null;
  readonly lastMessage: string;
  readonly usage: { readonly input_tokens: number; readonly output_tokens: number } | null;
  readonly openItems: Readonly<Record<string, number>>;
  readonly lastError: string | null;
  /** How the latest turn ended; null while none has. */
  readonly turn: 'completed' | 'failed' | null;
}

const INITIAL_STATE: CodexState = {
  sessionId: null,
  lastMessage: '',
  usage: null,
  openItems: {},
  lastError: null,
  turn: null,
};

const OPEN_ITEMS_LIMIT = 256;

export const codexStream: AgentStream<CodexState> = {
  start: INITIAL_STATE,
  fold: (state, event, atMs) => {
    const parsed = eventSchema.safeParse(event);
    return parsed.success ? foldEvent(state, parsed.data, atMs) : { state, entries: [] };
  },
  told: (state) => ({
    sessionId: state.sessionId,
    model: null,
    finalResponse: state.lastMessage,
    usage: state.usage,
    problem: findProblem(state),
  }),
};

function foldEvent(state: CodexState, event: CodexEvent, atMs: number): Folded<CodexState> {
  switch (event.type) {
    case 'thread.started':
      return { state: { ...state, sessionId: event.thread_id ?? null }, entries: [] };
    case 'turn.started':
      return { state: { ...state, turn: null }, entries: [] };
    case 'turn.completed':
      // The usage is the sum over the whole thread, each time it is reported.
      return { state: { ...state, turn: 'completed', usage: readUsage(event) ?? state.usage }, entries: [] };
    case 'turn.failed':
      return {
        state: { ...state, turn: 'failed', lastError: errorOf(event) ?? state.lastError },
        entries: [],
      };
    case 'error':
      return foldError(state, event);
    case 'item.started':
      return event.item ? foldStart(state, event.item, atMs) : { state, entries: [] };
    case 'item.completed':
      return event.item ? foldEnd(state, event.item, atMs) : { state, entries: [] };
    default:
      return { state, entries: [] };
  }
}

function readUsage({ usage }: CodexEvent): CodexState['usage'] {
  const { input_tokens: read = null, output_tokens: written = null } = usage ?? {};
  return read === null && written === null ? null : { input_tokens: read ?? 0, output_tokens: written ?? 0 };
}

function errorOf({ error, message }: CodexEvent): string | null {
  return error?.message ?? message ?? null;
}

/** Also reported before a retry: only the end of the turn tells whether it failed. */
function foldError(state: CodexState, event: CodexEvent): Folded<CodexState> {
  const message = errorOf(event) ?? 'an error without a message';
  return { state: { ...state, lastError: message }, entries: [{ kind: 'notice', text: message }] };
}

/** Items that aren't tool calls; they are added to the transcript when they are complete. */
const TEXT_ITEMS = ['agent_message', 'reasoning', 'error'];

function foldStart(state: CodexState, item: Item, atMs: number): Folded<CodexState> {
  if (TEXT_ITEMS.includes(item.type)) return { state, entries: [] };
  const openItems = { ...state.openItems };
  const { id } = item;
  if (typeof id === 'string' && Object.keys(openItems).length < OPEN_ITEMS_LIMIT) openItems[id] = atMs;
  return { state: { ...state, openItems }, entries: [describeToolUse(item)] };
}

function foldEnd(state: CodexState, item: Item, atMs: number): Folded<CodexState> {
  const message = item.text ?? '';
  switch (item.type) {
    case 'agent_message':
      return message.trim() === ''
        ? { state, entries: [] }
        : { state: { ...state, lastMessage: message }, entries: [{ kind: 'said', text: message }] };
    case 'reasoning':
      return { state, entries: message.trim() === '' ? [] : [{ kind: 'thought', text: message }] };
    case 'error':
      return { state, entries: [{ kind: 'notice', text: item.message ?? 'an error without a message' }] };
    default:
      return foldToolEnd(state, item, atMs);
  }
}

function foldToolEnd(state: CodexState, item: Item, atMs: number): Folded<CodexState> {
  const use = describeToolUse(item);
  const id = item.id ?? '';
  const openItems = { ...state.openItems };
  const startedMs = Object.hasOwn(openItems, id) ? openItems[id] : undefined;
  delete openItems[id];
  const result: TranscriptEntry = {
    kind: 'tool_result',
    text: outputOf(item),
    isError: item.status === 'failed' || item.status === 'declined' || (item.exit_code ?? 0) !== 0,
    durationMs: startedMs === undefined ? null : Math.max(0, Math.round(atMs - startedMs)),
  };
  // Some tools are reported only when they are done.
  return { state: { ...state, openItems }, entries: startedMs === undefined ? [use, result] : [result] };
}

function outputOf({ aggregated_output: printed, error, message, result }: Item): string {
  const answer = result?.content.flatMap((part) => part.text ?? []).join('\n');
  return printed ?? error?.message ?? message ?? answer ?? '';
}

function describeToolUse(item: Item): TranscriptEntry {
  switch (item.type) {
    case 'command_execution':
      return { kind: 'tool_use', name: 'shell', input: item.command ?? '' };
    case 'file_change': {
      const files = (item.changes ?? []).map(({ path, kind }) => `${kind ?? 'change'} ${path}`);
      return { kind: 'tool_use', name: 'apply_patch', input: files.join('\n') };
    }
    case 'mcp_tool_call':
      return {
        kind: 'tool_use',
        name: `${item.server ?? 'mcp'}.${item.tool ?? 'tool'}`,
        input: item.arguments === undefined ? '' : JSON.stringify(item.arguments),
      };
    case 'web_search':
      return { kind: 'tool_use', name: 'web_search', input: item.query ?? '' };
    case 'todo_list': {
      const rows = (item.items ?? []).map(
        (row) => `[${row.completed === true ? 'x' : ' '}] ${row.text ?? ''}`,
      );
      return { kind: 'tool_use', name: 'todo_list', input: rows.join('\n') };
    }
    default:
      // Newer versions have tools that are unknown here.
      return { kind: 'tool_use', name: item.type, input: item.command ?? item.query ?? '' };
  }
}

function findProblem({ turn, lastError }: CodexState): StreamProblem | null {
  if (turn === 'completed') return null;
  if (turn === null && lastError === null)
    return {
      message: 'ended without a result',
      status: null,
      code: NO_RESULT,
      resets: null,
      deniedTools: [],
    };
  const error = parseError(lastError ?? 'no reason');
  return { ...error, message: `failed: ${error.message}`, deniedTools: [] };
}

const totalSchema = z.looseObject({ input_tokens: z.int(), output_tokens: z.int() });
/** Written after each model response, and after its tool calls; older versions write only the second form. */
const countedSchema = z.union([
  z.looseObject({
    type: z.literal('token_usage_record'),
    payload: z.looseObject({ thread_token_usage: totalSchema }),
  }),
  z.looseObject({
    type: z.literal('event_msg'),
    payload: z.looseObject({
      type: z.literal('token_count'),
      info: z.looseObject({ total_token_usage: totalSchema }),
    }),
  }),
]);

/** The total usage of a session according to its rollout file; null if the file does not contain it. */
export function usageInRollout(lines: readonly string[]): Usage | null {
  for (const line of lines.toReversed()) {
    if (!/"token_(?:count|usage_record)"/.test(line)) continue;
    const counted = countedSchema.safeParse(parseJson(line)).data;
    if (counted === undefined) continue;
    const { input_tokens, output_tokens } =
      counted.type === 'event_msg'
        ? counted.payload.info.total_token_usage
        : counted.payload.thread_token_usage;
    return { input_tokens, output_tokens };
  }
  return null;
}

const refusalSchema = z.looseObject({
  error: z.looseObject({ message: z.string(), type: text, code: text }),
});

/** Parses an error: a message of Codex itself, or the raw response of its provider. */
function parseError(error: string): Omit<StreamProblem, 'deniedTools'> {
  const refusal = refusalSchema.safeParse(parseJson(error));
  if (refusal.success) {
    const { message, type, code } = refusal.data.error;
    const status = type === 'invalid_request_error' ? 400 : null;
    // The reset time of a limit is in another field of the response.
    return { message, status, code: code ?? type ?? null, resets: error };
  }
  // The message of Codex for an unspecified error of the provider.
  const code = error.includes('experiencing high demand') ? 'overloaded' : null;
  return { message: error, status: statusIn(error), code, resets: null };
}
