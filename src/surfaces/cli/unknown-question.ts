import { didYouMean } from '../../diagnostics/did-you-mean.ts';
import { CliError } from './cli-error.ts';

/** For a verb whose first word says what is asked. */
export function unknownQuestion(verb: string, question: string, known: readonly string[]): CliError {
  const near = didYouMean(question, known);
  const help = near === null ? `it is one of ${known.join(', ')}` : `did you mean conductor ${verb} ${near}?`;
  return new CliError(`conductor ${verb} has no action "${question}"`, help);
}
