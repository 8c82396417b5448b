import { ExpectedFailure } from '../../contracts/expected-failure.ts';

/** Turns an SQLite error into a message for users: which file, what is wrong, and how to fix it. */
export function describeDatabaseFailure(path: string, error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof ExpectedFailure) return error;
  const message = describe(path, codeOf(error), error.message);
  return message === null ? error : new ExpectedFailure(message, { cause: error });
}

/** Failing to open a file has no error code; its message ends with SQLite's number. */
function codeOf(error: Error): string {
  const code = 'code' in error ? String(error.code) : '';
  if (code.startsWith('SQLITE_')) return code;
  return error.message.includes('Unable to open connection') ? 'SQLITE_CANTOPEN' : '';
}

function describe(path: string, code: string, detail: string): string | null {
  switch (kindOf(code)) {
    case 'BUSY':
    case 'LOCKED':
      return `${path} is locked by another process: wait until it ends, or stop it, and try again`;
    case 'NOTADB':
    case 'CORRUPT':
      return `${path} is corrupt (${detail}): restore a copy of it, or move it away to start without work items`;
    case 'FULL':
      return `${path} can't be written: the disk is full; free some space and try again`;
    case 'READONLY':
    case 'PERM':
      return `${path} can't be written (${detail}): make the file and its folder writable`;
    case 'CANTOPEN':
      return `${path} can't be opened (${detail}): make sure that its folder exists, and that you may read and write it`;
    case 'IOERR':
      return `${path} can't be read or written (${detail}): check the disk and try again`;
    default:
      return null;
  }
}

/** A file that ends too early is corrupt; the disk is fine. */
function kindOf(code: string): string | undefined {
  return code === 'SQLITE_IOERR_SHORT_READ' ? 'CORRUPT' : code.split('_')[1];
}

export function isBusy(error: unknown): boolean {
  return error instanceof Error && /^SQLITE_(?:BUSY|LOCKED)/.test(codeOf(error));
}
