import type { AnswerOrigin } from '../contracts/answer-origin.ts';

/** This process as the giver of an answer. */
export interface Answerer {
  readonly origin: AnswerOrigin;
  /** The mark of the run that this process belongs to, by itself or by a process above it; null outside of runs. */
  readonly runMark: string | null;
}
