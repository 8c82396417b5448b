import { didYouMean } from '../../../../diagnostics/did-you-mean.ts';
import { BODY_KINDS, type BodyKind, printTemplate } from '../../../../work/bodies/body-template.ts';
import { CliError } from '../../cli-error.ts';
import { printJson, type VerbContext } from '../../command-context.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';

/** Prints the template of a body. */
export function template(context: VerbContext, word: string): ExitCode {
  const kind = expectBodyKind(word);
  if (context.json) printJson(context, { kind, template: printTemplate(kind) });
  else context.terminal.out(printTemplate(kind));
  return EXIT.success;
}

export function expectBodyKind(word: string): BodyKind {
  const kind = BODY_KINDS.find((known) => known === word);
  if (kind !== undefined) return kind;
  const near = didYouMean(word, BODY_KINDS);
  throw new CliError(
    `there is no template "${word}"`,
    near === null ? `it is one of ${BODY_KINDS.join(', ')}` : `did you mean ${near}?`,
  );
}
