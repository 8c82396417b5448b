import {
  type AcpEnd,
  type AcpSettings,
  type AcpState,
  type AcpStep,
  beginSession,
  cancelTurn,
  foldMessage,
} from '../../agents/acp/acp-session.ts';
import { readMessage } from '../../agents/acp/json-rpc.ts';
import { truncateEntry } from '../../agents/transcript.ts';
import type { LiveInput } from '../../ports/supervisor.ts';
import type { AgentListener } from './agent-conversation.ts';
import { createJsonLineSplitter } from './json-lines.ts';

/** An ACP session with a running agent. `agents/acp-session.ts` makes the decisions; this module carries them out. */
export interface AcpConnection {
  readonly onStart: (input: LiveInput) => void;
  readonly onOutput: (chunk: Buffer) => void;
  readonly state: () => AcpState;
  /** Resolves when the session has ended: after its turn, or when no turn can start any more. */
  readonly ended: Promise<void>;
  /** Asks the agent to end its turn; false if no turn is running. */
  readonly cancel: () => boolean;
  /** Closes the agent's standard input. Most agents exit on that. */
  readonly closeInput: () => void;
  /** Ends the session with a protocol error of the agent. */
  readonly failSession: (message: string) => void;
}

const NOISE_LIMIT = 400;
/**
 * An agent may print lines that aren't messages; only the first ones are reported, so that they don't flood
 * the log.
 */
const NOISE_LINES = 100;
/** Longer than any prompt: an agent with this much unread input does not read its input at all. */
const UNREAD_LIMIT_BYTES = 64 * 1024 * 1024;

export function openConnection(settings: AcpSettings, { onEntry, onUsage }: AgentListener): AcpConnection {
  const begun = beginSession();
  let state = begun.state;
  let input: LiveInput | null = null;
  let noiseLines = 0;
  let settle: () => void = () => undefined;
  const over = new Promise<void>((done) => {
    settle = done;
  });

  const sendLines = (lines: readonly string[]): void => {
    for (const line of lines) input?.write(line);
    if ((input?.waitingBytes() ?? 0) > UNREAD_LIMIT_BYTES) giveUp('does not read its input');
  };
  const applyStep = (step: AcpStep): void => {
    state = step.state;
    for (const entry of step.entries) onEntry(entry);
    onUsage(state.usage);
    sendLines(step.send);
    if (state.end !== null) settle();
  };
  const giveUp = (message: string): void => {
    if (state.end !== null) return;
    const end: AcpEnd = { kind: 'unfit', message };
    applyStep({ state: { ...state, end }, send: [], entries: [] });
  };
  const reportNoise = (text: string): void => {
    noiseLines += 1;
    if (noiseLines <= NOISE_LINES) onEntry({ kind: 'notice', text: truncateEntry(text, NOISE_LIMIT) });
  };
  const lines = createJsonLineSplitter({
    onValue: (value) => {
      if (state.end !== null) return;
      const message = readMessage(value);
      if (message === null) reportNoise(JSON.stringify(value));
      else applyStep(foldMessage(state, settings, message, performance.now()));
    },
    onText: reportNoise,
    onTooLong: (bytes) => reportNoise(`a message of ${bytes} bytes was skipped`),
  });

  return {
    onStart: (live) => {
      input = live;
      applyStep(begun);
    },
    onOutput: lines.push,
    state: () => state,
    ended: over,
    closeInput: () => input?.close(),
    cancel: () => {
      const step = cancelTurn(state);
      applyStep(step);
      return step.send.length > 0;
    },
    failSession: giveUp,
  };
}
