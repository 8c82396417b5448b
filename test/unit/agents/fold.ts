import type { AgentStream, StreamReport } from '../../../src/agents/stream-verdict.ts';
import type { TranscriptEntry } from '../../../src/agents/transcript.ts';

/** Folds all events, each a second after the one before. */
export function foldAll<State>(
  stream: AgentStream<State>,
  events: readonly unknown[],
): { readonly report: StreamReport; readonly entries: readonly TranscriptEntry[]; readonly state: State } {
  let state = stream.start;
  const entries: TranscriptEntry[] = [];
  for (const [index, event] of events.entries()) {
    const folded = stream.fold(state, event, index * 1_000);
    state = folded.state;
    entries.push(...folded.entries);
  }
  return { report: stream.report(state), entries, state };
}
