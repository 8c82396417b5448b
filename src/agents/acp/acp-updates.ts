import type { Usage } from '../../contracts/run/agent-result.ts';
import type { TranscriptEntry } from '../transcript.ts';
import {
  type AcpTokens,
  type AcpUpdate,
  readTextContent,
  toolCallSchema,
  updateSchema,
} from './acp-messages.ts';
import { foldToolCall, type OpenTools } from './acp-tools.ts';

/** What an agent has reported of its work so far. */
export interface Heard {
  /** Text arrives in chunks; it becomes a transcript entry when another kind of update arrives. */
  readonly words: {
    readonly kind: 'said' | 'thought';
    readonly text: string;
    readonly messageId: string | null;
  } | null;
  readonly lastSaid: string;
  readonly tools: OpenTools;
  readonly toolsUsed: number;
  /** Sums of the tokens reported with single model responses. */
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

/** Limit for the text of one message; the raw stream contains all of it. */
const TEXT_LIMIT = 1024 * 1024;

export function foldUpdate(heard: Heard, params: unknown, atMs: number): HeardStep {
  const update = updateSchema.safeParse(params).data?.update;
  if (update === undefined) return { heard, entries: [] };
  switch (update.sessionUpdate) {
    case 'agent_message_chunk':
      return foldText(withTokens(heard, update), 'said', update);
    case 'agent_thought_chunk':
      return foldText(withTokens(heard, update), 'thought', update);
    case 'tool_call':
    case 'tool_call_update':
      return foldTool(heard, update, atMs);
    case 'plan':
      return foldPlan(heard, update);
    case 'usage_update':
      return { heard: withCost(heard, update), entries: [] };
    case 'current_mode_update':
      return withNotice(heard, `mode: ${update.currentModeId ?? 'unknown'}`);
    default:
      return { heard, entries: [] };
  }
}

/** Ends the message in progress and adds it to the transcript. */
export function withWordsEnded(heard: Heard): HeardStep {
  const { words } = heard;
  if (words === null) return { heard, entries: [] };
  const { kind, text } = words;
  if (text.trim() === '') return { heard: { ...heard, words: null }, entries: [] };
  const lastSaid = kind === 'said' ? text.trim() : heard.lastSaid;
  return { heard: { ...heard, words: null, lastSaid }, entries: [{ kind, text }] };
}

function foldText(heard: Heard, kind: 'said' | 'thought', update: AcpUpdate): HeardStep {
  const text = readTextContent(update.content);
  const messageId = update.messageId ?? null;
  const { words } = heard;
  const isContinued =
    words?.kind === kind && (words.messageId === messageId || words.messageId === null || messageId === null);
  if (text === '') return { heard, entries: [] };
  if (isContinued) {
    const joined = words.text.length > TEXT_LIMIT ? words.text : words.text + text;
    return { heard: { ...heard, words: { ...words, text: joined } }, entries: [] };
  }
  const before = withWordsEnded(heard);
  return { heard: { ...before.heard, words: { kind, text, messageId } }, entries: before.entries };
}

function foldTool(heard: Heard, update: AcpUpdate, atMs: number): HeardStep {
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

function foldPlan(heard: Heard, { entries: steps }: AcpUpdate): HeardStep {
  const lines = (steps ?? []).map(
    ({ content, status }) => `${status === 'completed' ? '✓' : '·'} ${content}`,
  );
  return lines.length === 0 ? { heard, entries: [] } : withNotice(heard, `plan\n${lines.join('\n')}`);
}

function withNotice(heard: Heard, text: string): HeardStep {
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

/** Sets the cost of the session so far. Other currencies can't be checked against a budget, so they are ignored. */
function withCost(heard: Heard, { cost }: AcpUpdate): Heard {
  return cost?.currency === 'USD' ? { ...heard, costUsd: cost.amount } : heard;
}

/** Cached input counts as input: some agents include it in the input, others only in the total. */
function countOf({ inputTokens, outputTokens, totalTokens, thoughtTokens }: AcpTokens) {
  const output = outputTokens ?? 0;
  const rest = (totalTokens ?? 0) - output - (thoughtTokens ?? 0);
  return { input: Math.max(inputTokens ?? 0, rest), output };
}

/** The usage of the turn; null if the agent does not report any. */
export function usageOfTurn({ tokens, costUsd }: Heard, told: AcpTokens | null): Usage | null {
  const counted = told === null ? tokens : countOf(told);
  if (counted === null && costUsd === null) return null;
  return {
    ...(counted === null ? {} : { input_tokens: counted.input, output_tokens: counted.output }),
    ...(costUsd === null ? {} : { cost_usd: costUsd }),
  };
}
