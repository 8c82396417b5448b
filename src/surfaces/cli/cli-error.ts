import { EXIT, type ExitCode } from './exit-codes.ts';

/** Something a person can mend: one line that says what is wrong, one that says what to do. */
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
