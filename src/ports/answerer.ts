import type { AnswerOrigin } from '../contracts/run/answer-origin.ts';

/** Identifies this process when it answers a gate. */
export interface Answerer {
  readonly origin: AnswerOrigin;
  /** The mark of the run that started this process or one of its ancestors; null outside of runs. */
  readonly runMark: string | null;
}
