import type { AgentStream, StreamTold } from '../../../src/agents/stream-verdict.ts';
import type { TranscriptEntry } from '../../../src/agents/transcript.ts';

/** Folds all events, each a second after the one before. */
export function foldAll<State>(
  stream: AgentStream<State>,
  events: readonly unknown[],
): { readonly told: StreamTold; readonly entries: readonly TranscriptEntry[]; readonly state: State } {
  let state = stream.start;
  const entries: TranscriptEntry[] = [];
  for (const [index, event] of events.entries()) {
    const folded = stream.fold(state, event, index * 1_000);
    state = folded.state;
    entries.push(...folded.entries);
  }
  return { told: stream.told(state), entries, state };
}
