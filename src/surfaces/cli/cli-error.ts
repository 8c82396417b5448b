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
