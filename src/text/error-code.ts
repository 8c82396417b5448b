/** Whether a caught value is a system error with this code, such as `ENOENT`. */
export function hasErrorCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

const FULL_CODES: readonly string[] = ['ENOSPC', 'EDQUOT', 'SQLITE_FULL'];

/** Whether an error or one of its causes says that the disk or the quota is full. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('code' in error && FULL_CODES.includes(String(error.code))) return true;
  return error.cause !== undefined && isDiskFull(error.cause);
}
