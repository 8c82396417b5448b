import { answererText, isInteractive } from '../../contracts/run/answer-origin.ts';
import type { AnswerView } from '../record/run-view.ts';

/** `decide: approved by Ann (user alice, no terminal)`. */
export function answerText({ stepId, answer, by, from }: AnswerView): string {
  const word = answer === 'gate_approved' ? 'approved' : 'rejected';
  return `${stepId}: ${word} by ${answererText(by, from)}`;
}

/** Notes for readers of the record: answers that were not given at a terminal, so maybe not by a person. */
export function answerNotes(answers: readonly AnswerView[]): string[] {
  return answers.flatMap((each) =>
    each.from === undefined || isInteractive(each.from)
      ? []
      : [`${answerText(each)}: a script or another program can have given this answer`],
  );
}
