import { answererText, isInteractive } from '../contracts/answer-origin.ts';
import type { AnswerView } from './run-view.ts';

/** `decide: approved by Ann (user alice, no terminal)`. */
export function answerText({ stepId, answer, by, from }: AnswerView): string {
  const word = answer === 'gate_approved' ? 'approved' : 'rejected';
  return `${stepId}: ${word} by ${answererText(by, from)}`;
}

/** What a reader of the record should know: nothing shows that a person gave the answer. */
export function answerNotes(answers: readonly AnswerView[]): string[] {
  return answers.flatMap((each) =>
    each.from === undefined || isInteractive(each.from)
      ? []
      : [`${answerText(each)}: a script or another program can have given this answer`],
  );
}
