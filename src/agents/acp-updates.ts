import type { Usage } from '../contracts/agent-result.ts';
import { type AcpTokens, type AcpUpdate, toolCallSchema, updateSchema, wordsOf } from './acp-messages.ts';
import { foldToolCall, type OpenTools } from './acp-tools.ts';
import type { TranscriptEntry } from './transcript.ts';

/** What an agent has told of its work so far. */
export interface Heard {
  /** Words come in pieces; they are told when something else comes. */
  readonly words: {
    readonly kind: 'said' | 'thought';
    readonly text: string;
    readonly messageId: string | null;
  } | null;
  readonly lastSaid: string;
  readonly tools: OpenTools;
  readonly toolsUsed: number;
  /** Sums of what came with single answers of its model. */
  readonly tokens: { readonly input: number; readonly output: number } | null;
  readonly costUsd: number | null;
}

export const NOTHING_HEARD: Heard = {
  words: null,
  lastSaid: '',
  tools: {},
  toolsUsed: 0,
  tokens: null,
  costUsd: null,
};

interface HeardStep {
  readonly heard: Heard;
  readonly entries: readonly TranscriptEntry[];
}

/** An agent that does not stop talking is heard to here; all of it is in the raw stream. */
const WORDS_LIMIT = 1024 * 1024;

export function foldUpdate(heard: Heard, params: unknown, atMs: number): HeardStep {
  const update = updateSchema.safeParse(params).data?.update;
  if (update === undefined) return { heard, entries: [] };
  switch (update.sessionUpdate) {
    case 'agent_message_chunk':
      return hearWords(withTokens(heard, update), 'said', update);
    case 'agent_thought_chunk':
      return hearWords(withTokens(heard, update), 'thought', update);
    case 'tool_call':
    case 'tool_call_update':
      return hearTool(heard, update, atMs);
    case 'plan':
      return hearPlan(heard, update);
    case 'usage_update':
      return { heard: withCost(heard, update), entries: [] };
    case 'current_mode_update':
      return notice(heard, `mode: ${update.currentModeId ?? 'unknown'}`);
    default:
      return { heard, entries: [] };
  }
}

/** Tells the words that were still coming in. */
export function withWordsEnded(heard: Heard): HeardStep {
  const { words } = heard;
  if (words === null) return { heard, entries: [] };
  const { kind, text } = words;
  if (text.trim() === '') return { heard: { ...heard, words: null }, entries: [] };
  const lastSaid = kind === 'said' ? text.trim() : heard.lastSaid;
  return { heard: { ...heard, words: null, lastSaid }, entries: [{ kind, text }] };
}

function hearWords(heard: Heard, kind: 'said' | 'thought', update: AcpUpdate): HeardStep {
  const text = wordsOf(update.content);
  const messageId = update.messageId ?? null;
  const { words } = heard;
  const goesOn =
    words?.kind === kind && (words.messageId === messageId || words.messageId === null || messageId === null);
  if (text === '') return { heard, entries: [] };
  if (goesOn) {
    const joined = words.text.length > WORDS_LIMIT ? words.text : words.text + text;
    return { heard: { ...heard, words: { ...words, text: joined } }, entries: [] };
  }
  const before = withWordsEnded(heard);
  return { heard: { ...before.heard, words: { kind, text, messageId } }, entries: before.entries };
}

function hearTool(heard: Heard, update: AcpUpdate, atMs: number): HeardStep {
  const call = toolCallSchema.safeParse(update).data;
  if (call === undefined) return { heard, entries: [] };
  const before = withWordsEnded(heard);
  const { tools, entries } = foldToolCall(before.heard.tools, call, atMs);
  const used = entries.filter(({ kind }) => kind === 'tool_use').length;
  return {
    heard: { ...before.heard, tools, toolsUsed: before.heard.toolsUsed + used },
    entries: [...before.entries, ...entries],
  };
}

function hearPlan(heard: Heard, { entries: steps }: AcpUpdate): HeardStep {
  const lines = (steps ?? []).map(
    ({ content, status }) => `${status === 'completed' ? '✓' : '·'} ${content}`,
  );
  return lines.length === 0 ? { heard, entries: [] } : notice(heard, `plan\n${lines.join('\n')}`);
}

function notice(heard: Heard, text: string): HeardStep {
  const before = withWordsEnded(heard);
  return { heard: before.heard, entries: [...before.entries, { kind: 'notice', text }] };
}

function withTokens(heard: Heard, { _meta: meta }: AcpUpdate): Heard {
  const counted = meta?.usage ?? null;
  if (counted === null) return heard;
  const { input, output } = countOf(counted);
  const { tokens } = heard;
  return {
    ...heard,
    tokens: { input: (tokens?.input ?? 0) + input, output: (tokens?.output ?? 0) + output },
  };
}

/** The sum for the session; other currencies can't be held against a budget. */
function withCost(heard: Heard, { cost }: AcpUpdate): Heard {
  return cost?.currency === 'USD' ? { ...heard, costUsd: cost.amount } : heard;
}

/** What was read from a cache counts as read: some count it into the input, and some only into the total. */
function countOf({ inputTokens, outputTokens, totalTokens, thoughtTokens }: AcpTokens) {
  const output = outputTokens ?? 0;
  const rest = (totalTokens ?? 0) - output - (thoughtTokens ?? 0);
  return { input: Math.max(inputTokens ?? 0, rest), output };
}

/** What the turn has used; null where the agent tells nothing of it. */
export function usageOfTurn({ tokens, costUsd }: Heard, told: AcpTokens | null): Usage | null {
  const counted = told === null ? tokens : countOf(told);
  if (counted === null && costUsd === null) return null;
  return {
    ...(counted === null ? {} : { input_tokens: counted.input, output_tokens: counted.output }),
    ...(costUsd === null ? {} : { cost_usd: costUsd }),
  };
}
