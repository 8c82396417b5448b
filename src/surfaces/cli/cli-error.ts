import { UseCaseError } from '../../app/use-case-error.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';

/** An error that the user can fix: `message` names the problem, `help` the fix. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly help: string | null;
  readonly exitCode: ExitCode;

  constructor(message: string, help: string | null = null, exitCode: ExitCode = EXIT.usage) {
    super(message);
    this.help = help;
    this.exitCode = exitCode;
  }
}

/** Whether the user can fix the error, and its message says how. */
export function isUserError(error: unknown): error is CliError | UseCaseError {
  return error instanceof CliError || error instanceof UseCaseError;
}

export function exitCodeOfError(error: unknown): ExitCode {
  if (error instanceof CliError) return error.exitCode;
  return error instanceof UseCaseError && error.kind === 'usage' ? EXIT.usage : EXIT.failed;
}
