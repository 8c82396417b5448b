import type { Usage } from '../../contracts/run/agent-result.ts';
import { usageSince } from '../prices.ts';
import type { TranscriptEntry } from '../transcript.ts';
import {
  type AcpSession,
  AUTH_REQUIRED,
  initializedSchema,
  loadedSchema,
  PROTOCOL_VERSION,
  promptedSchema,
  sessionSchema,
  tokensOfTurn,
} from './acp-messages.ts';
import type { PermissionPolicy } from './acp-permission.ts';
import { type Answers, answerQuestion, NOTHING_ASKED } from './acp-questions.ts';
import { type AgentActivity, endMessage, foldUpdate, NO_ACTIVITY, usageOfTurn } from './acp-updates.ts';
import {
  errorLine,
  INVALID_PARAMS,
  METHOD_NOT_FOUND,
  notificationLine,
  type RpcError,
  type RpcMessage,
  requestLine,
  resultLine,
} from './json-rpc.ts';

/** One ACP session: handshake, opening or loading a session, optionally selecting a model, one prompt, and its end. */

export interface AcpSettings extends PermissionPolicy {
  /** The folder that the agent works in. */
  readonly cwd: string;
  readonly prompt: string;
  /** Null for the agent's default. */
  readonly model: string | null;
  /** The session to continue with the prompt for it; null or missing for a fresh session. */
  readonly resume?: { readonly id: string; readonly prompt: string } | null;
}

export type AcpPhase = 'initialize' | 'session/load' | 'session/new' | 'model' | 'session/prompt';

export type AcpEnd =
  | { readonly kind: 'turn_ended'; readonly stopReason: string }
  | { readonly kind: 'failed'; readonly phase: AcpPhase; readonly error: RpcError }
  /** The agent violates the protocol. */
  | { readonly kind: 'unfit'; readonly message: string }
  /** The agent made a permission request that only a user could answer. */
  | { readonly kind: 'prompted'; readonly subject: string; readonly message: string };

export interface AcpState {
  readonly phase: AcpPhase;
  readonly end: AcpEnd | null;
  readonly sessionId: string | null;
  /** Whether the agent continues the requested session. */
  readonly isResumed: boolean;
  /** Why it does not; null if it does, or if none was requested. */
  readonly lost: string | null;
  /** The cost of the session before this prompt. */
  readonly costBefore: number | null;
  readonly agent: string | null;
  readonly mode: string | null;
  readonly model: string | null;
  readonly activity: AgentActivity;
  readonly usage: Usage | null;
  readonly answers: Answers;
  /** Whether the agent was asked to cancel its turn. */
  readonly isCancelled: boolean;
}

export interface AcpStep {
  readonly state: AcpState;
  /** Lines to send to the agent. */
  readonly send: readonly string[];
  readonly entries: readonly TranscriptEntry[];
}

const IDS: Readonly<Record<AcpPhase, number>> = {
  initialize: 1,
  'session/new': 2,
  model: 3,
  'session/prompt': 4,
  'session/load': 5,
};

/**
 * The id of the `session/load` response. Updates before it replay the loaded session; those after it are new.
 */
export const LOADED_ID = IDS['session/load'];

/** An agent that keeps asking makes no progress. */
const QUESTIONS_LIMIT = 2_000;

/**
 * No client capabilities: the agent accesses files and runs commands itself, and conductor checks the
 * checkout afterwards.
 */
const NO_CAPABILITIES = { fs: { readTextFile: false, writeTextFile: false }, terminal: false };

export function beginSession(): AcpStep {
  const state: AcpState = {
    phase: 'initialize',
    end: null,
    sessionId: null,
    isResumed: false,
    lost: null,
    costBefore: null,
    agent: null,
    mode: null,
    model: null,
    activity: NO_ACTIVITY,
    usage: null,
    answers: NOTHING_ASKED,
    isCancelled: false,
  };
  const params = {
    protocolVersion: PROTOCOL_VERSION,
    clientCapabilities: NO_CAPABILITIES,
    clientInfo: { name: 'conductor', title: 'conductor', version: '1' },
  };
  return { state, send: [requestLine(IDS.initialize, 'initialize', params)], entries: [] };
}

/** Asks the agent to cancel its turn; sends nothing if no turn is running. */
export function cancelTurn(state: AcpState): AcpStep {
  const { phase, sessionId, end } = state;
  if (phase !== 'session/prompt' || sessionId === null || end !== null) return unchanged(state);
  const send = [notificationLine('session/cancel', { sessionId })];
  return { state: { ...state, isCancelled: true }, send, entries: [] };
}

export function foldMessage(
  state: AcpState,
  settings: AcpSettings,
  message: RpcMessage,
  atMs: number,
): AcpStep {
  switch (message.kind) {
    case 'notification':
      return message.method === 'session/update'
        ? foldSessionUpdate(state, message.params, atMs)
        : unchanged(state);
    case 'request':
      return answerRequest(state, settings, message, atMs);
    case 'result':
      return state.end === null && message.id === IDS[state.phase]
        ? advance(state, settings, message.result)
        : unchanged(state);
    case 'error':
      if (state.phase === 'session/load' && message.id === IDS['session/load'])
        return openNew({ ...state, lost: message.error.message }, settings);
      return state.end === null && (message.id === IDS[state.phase] || message.id === null)
        ? endSession(state, { kind: 'failed', phase: state.phase, error: message.error })
        : unchanged(state);
  }
}

function unchanged(state: AcpState): AcpStep {
  return { state, send: [], entries: [] };
}

function endSession(state: AcpState, end: AcpEnd, send: readonly string[] = []): AcpStep {
  const { activity, entries } = endMessage(state.activity);
  return { state: { ...state, activity, end }, send, entries };
}

function endUnfit(state: AcpState, message: string): AcpStep {
  return endSession(state, { kind: 'unfit', message });
}

function foldSessionUpdate(state: AcpState, params: unknown, atMs: number): AcpStep {
  const { activity, entries } = foldUpdate(state.activity, params, atMs);
  // The replayed updates are already recorded with the earlier visit.
  if (state.phase === 'session/load')
    return unchanged({ ...state, costBefore: activity.costUsd ?? state.costBefore });
  return {
    state: { ...state, activity, usage: usedSince(state, usageOfTurn(activity, null)) },
    send: [],
    entries,
  };
}

function usedSince({ costBefore }: AcpState, usage: Usage | null): Usage | null {
  return usageSince(usage, costBefore === null ? null : { cost_usd: costBefore });
}

function advance(state: AcpState, settings: AcpSettings, result: unknown): AcpStep {
  switch (state.phase) {
    case 'initialize':
      return onInitialized(state, settings, result);
    case 'session/load':
      return onLoaded(state, settings, result);
    case 'session/new':
      return onOpened(state, settings, result);
    case 'model':
      return sendPrompt({ ...state, model: settings.model }, settings);
    case 'session/prompt':
      return onTurnEnded(state, result);
  }
}

function onInitialized(state: AcpState, settings: AcpSettings, result: unknown): AcpStep {
  const greeting = initializedSchema.safeParse(result).data;
  if (greeting === undefined)
    return endUnfit(state, 'answered initialize without saying which version it speaks');
  const { protocolVersion, agentInfo, agentCapabilities } = greeting;
  if (protocolVersion !== PROTOCOL_VERSION)
    return endUnfit(state, `speaks version ${protocolVersion} of ACP, and not version ${PROTOCOL_VERSION}`);
  const agent = agentInfo?.name === undefined ? null : `${agentInfo.name} ${agentInfo.version ?? ''}`.trim();
  const known: AcpState = { ...state, agent };
  const entries: TranscriptEntry[] = agent === null ? [] : [{ kind: 'notice', text: agent }];
  const { cwd, resume = null } = settings;
  if (resume === null) return { ...openNew(known, settings), entries };
  if (agentCapabilities?.loadSession !== true)
    return { ...openNew({ ...known, lost: 'the agent offers no session/load' }, settings), entries };
  const params = { sessionId: resume.id, cwd, mcpServers: [] };
  return {
    state: { ...known, phase: 'session/load' },
    send: [requestLine(IDS['session/load'], 'session/load', params)],
    entries,
  };
}

function openNew(state: AcpState, { cwd }: AcpSettings): AcpStep {
  const send = [requestLine(IDS['session/new'], 'session/new', { cwd, mcpServers: [] })];
  return { state: { ...state, phase: 'session/new', costBefore: null }, send, entries: [] };
}

function onLoaded(state: AcpState, settings: AcpSettings, result: unknown): AcpStep {
  const session = { ...loadedSchema.parse(result), sessionId: settings.resume?.id ?? '' };
  return withSession({ ...state, isResumed: true }, settings, session);
}

function onOpened(state: AcpState, settings: AcpSettings, result: unknown): AcpStep {
  const session = sessionSchema.safeParse(result).data;
  return session === undefined
    ? endUnfit(state, 'opened a session without an id')
    : withSession(state, settings, session);
}

function withSession(state: AcpState, settings: AcpSettings, session: AcpSession): AcpStep {
  const known: AcpState = {
    ...state,
    sessionId: session.sessionId,
    mode: session.modes?.currentModeId ?? currentOf(session, 'mode'),
    model: session.models?.currentModelId ?? currentOf(session, 'model'),
  };
  if (settings.model === null || settings.model === known.model) return sendPrompt(known, settings);
  const line = modelLine(session, settings.model);
  if (line === null)
    return endUnfit(known, `offers no choice of a model, and ${settings.model} is asked for`);
  return { state: { ...known, phase: 'model' }, send: [line], entries: [] };
}

function currentOf({ configOptions }: AcpSession, category: string): string | null {
  const value = configOptions?.find((option) => option.category === category)?.currentValue;
  return typeof value === 'string' ? value : null;
}

/** Older and newer agents set the model through different methods. */
function modelLine({ sessionId, models, configOptions }: AcpSession, model: string): string | null {
  const option = configOptions?.find(({ category }) => category === 'model');
  if (option !== undefined)
    return requestLine(IDS.model, 'session/set_config_option', {
      sessionId,
      configId: option.id,
      value: model,
    });
  if (models === null || models === undefined) return null;
  return requestLine(IDS.model, 'session/set_model', { sessionId, modelId: model });
}

function sendPrompt(state: AcpState, settings: AcpSettings): AcpStep {
  const text = state.isResumed ? (settings.resume?.prompt ?? settings.prompt) : settings.prompt;
  const params = { sessionId: state.sessionId, prompt: [{ type: 'text', text }] };
  return {
    state: { ...state, phase: 'session/prompt' },
    send: [requestLine(IDS['session/prompt'], 'session/prompt', params)],
    entries: [],
  };
}

function onTurnEnded(state: AcpState, result: unknown): AcpStep {
  const turn = promptedSchema.safeParse(result).data;
  if (turn === undefined) return endUnfit(state, 'ended its turn without saying why');
  const usage = usedSince(state, usageOfTurn(state.activity, tokensOfTurn(turn)));
  return endSession({ ...state, usage }, { kind: 'turn_ended', stopReason: turn.stopReason });
}

type RpcRequest = Extract<RpcMessage, { kind: 'request' }>;

function answerRequest(state: AcpState, settings: AcpSettings, request: RpcRequest, atMs: number): AcpStep {
  if (request.method !== 'session/request_permission') return declineRequest(state, request);
  // The protocol requires this answer after a cancellation.
  if (state.isCancelled)
    return { state, send: [resultLine(request.id, { outcome: { outcome: 'cancelled' } })], entries: [] };
  const { answers } = state;
  if (answers.allowed + answers.refused >= QUESTIONS_LIMIT)
    return endUnfit(state, `asked for permission more than ${QUESTIONS_LIMIT} times`);
  const given = answerQuestion(answers, state.activity, settings, request.params, atMs);
  if (given === null)
    return { state, send: [errorLine(request.id, INVALID_PARAMS, 'no such question')], entries: [] };
  const known = { ...state, answers: given.answers, activity: given.activity };
  const reply = resultLine(request.id, given.outcome);
  if (given.prompt === null) return { state: known, send: [reply], entries: given.entries };
  const { subject, why } = given.prompt;
  const message = `asked what only a person can answer: ${subject}: ${why}`;
  const end: AcpEnd = { kind: 'prompted', subject, message };
  return { ...endSession(known, end, [reply, ...cancelTurn(known).send]), entries: given.entries };
}

/** conductor does not offer files or terminals; a request for them gets an error. */
function declineRequest(state: AcpState, { id, method }: RpcRequest): AcpStep {
  return {
    state,
    send: [errorLine(id, METHOD_NOT_FOUND, `${method} is not offered`)],
    entries: [{ kind: 'notice', text: `the agent asked for ${method}, which is not offered` }],
  };
}

export function isLoginMissing({ error }: Extract<AcpEnd, { kind: 'failed' }>): boolean {
  return error.code === AUTH_REQUIRED;
}
