import { addSetback, type EngineFacts, type EngineState } from './engine-state.ts';
import type { EngineEffect } from './protocol.ts';

/** A decision in the making. */
export interface Turn extends EngineFacts {
  state: EngineState;
  readonly effects: EngineEffect[];
}

export function update(turn: Turn, change: Partial<EngineState>): void {
  turn.state = { ...turn.state, ...change };
}

/** A problem delays the next attempt; a success clears earlier problems. */
export function noteAttempt(turn: Turn, key: string, problem: string | null): void {
  const { setbacks } = turn.state;
  if (problem !== null) update(turn, { setbacks: addSetback(setbacks, key, problem, turn.nowMs) });
  else if (setbacks.has(key)) update(turn, { setbacks: withoutKey(setbacks, key) });
}

export function withoutKey<T>(entries: ReadonlyMap<string, T>, key: string): ReadonlyMap<string, T> {
  return new Map([...entries].filter(([each]) => each !== key));
}
