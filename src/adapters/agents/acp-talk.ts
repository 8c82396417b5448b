import {
  type AcpEnd,
  type AcpSettings,
  type AcpState,
  type AcpStep,
  beginSession,
  callOff,
  foldMessage,
} from '../../agents/acp-session.ts';
import { readMessage } from '../../agents/json-rpc.ts';
import { cut } from '../../agents/transcript.ts';
import type { LiveInput } from '../../ports/supervisor.ts';
import { createJsonLines } from './json-lines.ts';
import type { Listener } from './told-agent.ts';

/** A session with a running agent. What is decided about it is decided elsewhere; here it is carried out. */
export interface AcpTalk {
  readonly begin: (input: LiveInput) => void;
  readonly hear: (chunk: Buffer) => void;
  readonly state: () => AcpState;
  /** Settles when there is nothing left to say: the turn has ended, or will never be one. */
  readonly over: Promise<void>;
  /** Asks the agent to end its turn; false where it has none. */
  readonly cancel: () => boolean;
  /** Closes the input of the agent, by which most know that they have to go. */
  readonly leave: () => void;
  /** Ends the session as one that the agent does not keep to. */
  readonly giveUp: (message: string) => void;
}

const NOISE_LIMIT = 400;
/** An agent may print what is no message; one that prints nothing else is not told line by line. */
const NOISE_LINES = 100;
/** Longer than any prompt: whoever leaves so much unread reads nothing. */
const UNREAD_LIMIT_BYTES = 64 * 1024 * 1024;

export function openTalk(settings: AcpSettings, { onEntry, onUsage }: Listener): AcpTalk {
  const begun = beginSession();
  let state = begun.state;
  let input: LiveInput | null = null;
  let noiseLines = 0;
  let settle: () => void = () => undefined;
  const over = new Promise<void>((done) => {
    settle = done;
  });

  const say = (lines: readonly string[]): void => {
    for (const line of lines) input?.write(line);
    if ((input?.waitingBytes() ?? 0) > UNREAD_LIMIT_BYTES) giveUp('does not read what it is told');
  };
  const take = (step: AcpStep): void => {
    state = step.state;
    for (const entry of step.entries) onEntry(entry);
    onUsage(state.usage);
    say(step.say);
    if (state.end !== null) settle();
  };
  const giveUp = (message: string): void => {
    if (state.end !== null) return;
    const end: AcpEnd = { kind: 'unfit', message };
    take({ state: { ...state, end }, say: [], entries: [] });
  };
  const noise = (text: string): void => {
    noiseLines += 1;
    if (noiseLines <= NOISE_LINES) onEntry({ kind: 'notice', text: cut(text, NOISE_LIMIT) });
  };
  const lines = createJsonLines({
    onValue: (value) => {
      if (state.end !== null) return;
      const message = readMessage(value);
      if (message === null) noise(JSON.stringify(value));
      else take(foldMessage(state, settings, message, performance.now()));
    },
    onNoise: noise,
    onTooLong: (bytes) => noise(`a message of ${bytes} bytes was passed over`),
  });

  return {
    begin: (live) => {
      input = live;
      take(begun);
    },
    hear: lines.push,
    state: () => state,
    over,
    leave: () => input?.close(),
    cancel: () => {
      const wish = callOff(state);
      take(wish);
      return wish.say.length > 0;
    },
    giveUp,
  };
}
