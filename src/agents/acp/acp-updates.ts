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
export interface AgentActivity {
  /** Text arrives in chunks; it becomes a transcript entry when another kind of update arrives. */
  readonly message: {
    readonly kind: 'said' | 'thought';
    readonly text: string;
    readonly messageId: string | null;
  } | null;
  readonly lastMessage: string;
  readonly tools: OpenTools;
  readonly toolsUsed: number;
  /** Sums of the tokens reported with single model responses. */
  readonly tokens: { readonly input: number; readonly output: number } | null;
  readonly costUsd: number | null;
}

export const NO_ACTIVITY: AgentActivity = {
  message: null,
  lastMessage: '',
  tools: {},
  toolsUsed: 0,
  tokens: null,
  costUsd: null,
};

interface ActivityStep {
  readonly activity: AgentActivity;
  readonly entries: readonly TranscriptEntry[];
}

/** Limit for the text of one message; the raw stream contains all of it. */
const TEXT_LIMIT = 1024 * 1024;

export function foldUpdate(activity: AgentActivity, params: unknown, atMs: number): ActivityStep {
  const update = updateSchema.safeParse(params).data?.update;
  if (update === undefined) return { activity, entries: [] };
  switch (update.sessionUpdate) {
    case 'agent_message_chunk':
      return foldText(withTokens(activity, update), 'said', update);
    case 'agent_thought_chunk':
      return foldText(withTokens(activity, update), 'thought', update);
    case 'tool_call':
    case 'tool_call_update':
      return foldTool(activity, update, atMs);
    case 'plan':
      return foldPlan(activity, update);
    case 'usage_update':
      return { activity: withCost(activity, update), entries: [] };
    case 'current_mode_update':
      return withNotice(activity, `mode: ${update.currentModeId ?? 'unknown'}`);
    default:
      return { activity, entries: [] };
  }
}

/** Ends the message in progress and adds it to the transcript. */
export function endMessage(activity: AgentActivity): ActivityStep {
  const { message } = activity;
  if (message === null) return { activity, entries: [] };
  const { kind, text } = message;
  if (text.trim() === '') return { activity: { ...activity, message: null }, entries: [] };
  const lastMessage = kind === 'said' ? text.trim() : activity.lastMessage;
  return { activity: { ...activity, message: null, lastMessage }, entries: [{ kind, text }] };
}

function foldText(activity: AgentActivity, kind: 'said' | 'thought', update: AcpUpdate): ActivityStep {
  const text = readTextContent(update.content);
  const messageId = update.messageId ?? null;
  const { message } = activity;
  const isContinued =
    message?.kind === kind &&
    (message.messageId === messageId || message.messageId === null || messageId === null);
  if (text === '') return { activity, entries: [] };
  if (isContinued) {
    const joined = message.text.length > TEXT_LIMIT ? message.text : message.text + text;
    return { activity: { ...activity, message: { ...message, text: joined } }, entries: [] };
  }
  const before = endMessage(activity);
  return { activity: { ...before.activity, message: { kind, text, messageId } }, entries: before.entries };
}

function foldTool(activity: AgentActivity, update: AcpUpdate, atMs: number): ActivityStep {
  const call = toolCallSchema.safeParse(update).data;
  if (call === undefined) return { activity, entries: [] };
  const before = endMessage(activity);
  const { tools, entries } = foldToolCall(before.activity.tools, call, atMs);
  const used = entries.filter(({ kind }) => kind === 'tool_use').length;
  return {
    activity: { ...before.activity, tools, toolsUsed: before.activity.toolsUsed + used },
    entries: [...before.entries, ...entries],
  };
}

function foldPlan(activity: AgentActivity, { entries: steps }: AcpUpdate): ActivityStep {
  const lines = (steps ?? []).map(
    ({ content, status }) => `${status === 'completed' ? '✓' : '·'} ${content}`,
  );
  return lines.length === 0 ? { activity, entries: [] } : withNotice(activity, `plan\n${lines.join('\n')}`);
}

function withNotice(activity: AgentActivity, text: string): ActivityStep {
  const before = endMessage(activity);
  return { activity: before.activity, entries: [...before.entries, { kind: 'notice', text }] };
}

function withTokens(activity: AgentActivity, { _meta: meta }: AcpUpdate): AgentActivity {
  const counted = meta?.usage ?? null;
  if (counted === null) return activity;
  const { input, output } = countOf(counted);
  const { tokens } = activity;
  return {
    ...activity,
    tokens: { input: (tokens?.input ?? 0) + input, output: (tokens?.output ?? 0) + output },
  };
}

/** Sets the cost of the session so far. Other currencies can't be checked against a budget, so they are ignored. */
function withCost(activity: AgentActivity, { cost }: AcpUpdate): AgentActivity {
  return cost?.currency === 'USD' ? { ...activity, costUsd: cost.amount } : activity;
}

/** Cached input counts as input: some agents include it in the input, others only in the total. */
function countOf({ inputTokens, outputTokens, totalTokens, thoughtTokens }: AcpTokens) {
  const output = outputTokens ?? 0;
  const rest = (totalTokens ?? 0) - output - (thoughtTokens ?? 0);
  return { input: Math.max(inputTokens ?? 0, rest), output };
}

/** The usage of the turn; null if the agent does not report any. */
export function usageOfTurn({ tokens, costUsd }: AgentActivity, reported: AcpTokens | null): Usage | null {
  const counted = reported === null ? tokens : countOf(reported);
  if (counted === null && costUsd === null) return null;
  return {
    ...(counted === null ? {} : { input_tokens: counted.input, output_tokens: counted.output }),
    ...(costUsd === null ? {} : { cost_usd: costUsd }),
  };
}
