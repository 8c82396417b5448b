import type { Config } from '../../contracts/config/config.ts';
import { isInteractive } from '../../contracts/run/answer-origin.ts';
import type { Answerer } from '../../ports/answerer.ts';
import type { Obstacle } from '../obstacle.ts';

/** Why this process may not answer a gate; null if it may. */
export function refuseAnswer(
  { origin, runMark }: Answerer,
  accepted: Config['answers'],
): Required<Obstacle> | null {
  if (runMark !== null)
    return {
      message: `an answer from a process of run ${runIdIn(runMark)} is refused: a run can't answer for a person`,
      help: 'answer in your own terminal',
    };
  if (accepted === 'interactive' && !isInteractive(origin))
    return {
      message: 'your configuration accepts answers only from a terminal, and this process has none',
      help: 'answer in a terminal, or set answers: any in your own configuration file',
    };
  return null;
}

/** Marks are `RUN/STEP/…`, and `git/RUN/…` for git commands. */
function runIdIn(mark: string): string {
  const [first = '', second = ''] = mark.split('/');
  return first === 'git' ? second : first;
}
