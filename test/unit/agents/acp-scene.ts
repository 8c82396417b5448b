import {
  type AcpSettings,
  type AcpState,
  beginSession,
  foldMessage,
} from '../../../src/agents/acp/acp-session.ts';
import { readMessage } from '../../../src/agents/acp/json-rpc.ts';
import type { TranscriptEntry } from '../../../src/agents/transcript.ts';
import { policyOf } from '../policy/policy-builder.ts';

export const SESSION = 'ses-1';

const place = {
  workspace: '/w',
  cwd: '/w',
  home: '/srv/home',
  writable: [],
  temporary: ['/tmp'],
  protectedBranches: ['main'],
};
export const SETTINGS: AcpSettings = { cwd: '/w', prompt: 'do it', model: null, policy: policyOf({}), place };

export interface Folded {
  readonly state: AcpState;
  readonly said: readonly { readonly [key: string]: unknown }[];
  readonly entries: readonly TranscriptEntry[];
}

/** Folds what an agent prints, each message a second after the one before. */
export function foldSession(messages: readonly unknown[], settings: Partial<AcpSettings> = {}): Folded {
  const begun = beginSession();
  let { state } = begun;
  const said = [...begun.send];
  const entries: TranscriptEntry[] = [];
  for (const [index, value] of messages.entries()) {
    const message = readMessage(value);
    if (message === null) throw new Error(`not a message: ${JSON.stringify(value)}`);
    const step = foldMessage(state, { ...SETTINGS, ...settings }, message, index * 1_000);
    state = step.state;
    said.push(...step.send);
    entries.push(...step.entries);
  }
  return { state, said: said.map((line) => JSON.parse(line) as Folded['said'][number]), entries };
}

export const GREETING = {
  id: 1,
  result: { protocolVersion: 1, agentInfo: { name: 'tester', version: '2.0' } },
};
export const OPENED = { id: 2, result: { sessionId: SESSION, modes: { currentModeId: 'default' } } };
/** Up to where the prompt is with the agent. */
export const BEGUN: readonly unknown[] = [GREETING, OPENED];

export function update(sessionUpdate: string, fields: Record<string, unknown>): unknown {
  return {
    method: 'session/update',
    params: { sessionId: SESSION, update: { sessionUpdate, ...fields } },
  };
}

export function textChunk(text: string, kind = 'agent_message_chunk'): unknown {
  return update(kind, { content: { type: 'text', text } });
}

export function ended(stopReason = 'end_turn', usage?: Record<string, number>): unknown {
  return { id: 4, result: { stopReason, usage } };
}

export function question(toolCall: Record<string, unknown>, id: string | number = 'q1'): unknown {
  const options = ['allow_once', 'reject_once'].map((kind) => ({ optionId: kind, kind, name: kind }));
  return {
    id,
    method: 'session/request_permission',
    params: { sessionId: SESSION, toolCall: { toolCallId: 't1', ...toolCall }, options },
  };
}
