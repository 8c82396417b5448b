import { type AgentStream, verdictOf } from '../../agents/stream-verdict.ts';
import { cut } from '../../agents/transcript.ts';
import type { Usage } from '../../contracts/agent-result.ts';
import type { AgentControls, AgentRequest, AgentResult } from '../../ports/agent.ts';
import { createJsonLines } from './json-lines.ts';
import {
  type Conversation,
  type Listener,
  type ProgramStart,
  readStreamFile,
  runToldAgent,
  type ToldAgentDeps,
} from './told-agent.ts';

/** What one command line agent is started with. */
export interface StreamStart extends Omit<ProgramStart, 'stdin'> {
  readonly controls: AgentControls;
}

const NOISE_LIMIT = 400;

/** Runs an agent that takes its prompt on standard input and tells what it does in lines of JSON. */
export function runStreamAgent<State>(
  deps: ToldAgentDeps,
  stream: AgentStream<State>,
  request: AgentRequest,
  start: StreamStart,
): Promise<AgentResult> {
  return runToldAgent(deps, request, { ...start, stdin: request.prompt }, (listener) =>
    listenTo(deps, stream, request, start, listener),
  );
}

/** What a start that was cut off had told of its use. */
export async function usageInStream<State>(
  stream: AgentStream<State>,
  evidenceDir: string,
): Promise<Usage | null> {
  let { start: state } = stream;
  await readStreamFile(evidenceDir, (value) => {
    state = stream.fold(state, value, 0).state;
  });
  return stream.told(state).usage;
}

function listenTo<State>(
  { model }: ToldAgentDeps,
  stream: AgentStream<State>,
  request: AgentRequest,
  { controls }: StreamStart,
  { onEntry, onUsage }: Listener,
): Conversation {
  let state = stream.start;
  const notice = (text: string): void => onEntry({ kind: 'notice', text });
  const lines = createJsonLines({
    onValue: (value) => {
      const folded = stream.fold(state, value, performance.now());
      state = folded.state;
      for (const entry of folded.entries) onEntry(entry);
      onUsage(stream.told(state).usage);
    },
    onNoise: (text) => notice(cut(text, NOISE_LIMIT)),
    onTooLong: (bytes) => notice(`a line of ${bytes} bytes was passed over`),
  });
  return {
    hear: lines.push,
    signal: request.signal,
    onStop: request.onStop,
    close: ({ end, stderr }) => {
      lines.end();
      const told = stream.told(state);
      return {
        verdict: verdictOf(told, end, stderr.lastLine, request),
        finalResponse: told.finalResponse,
        usage: told.usage,
        sessionId: told.sessionId,
        controls: {
          requested: { ...controls.requested, model },
          effective: { ...controls.effective, model: told.model ?? model },
        },
        notes: [],
      };
    },
  };
}
