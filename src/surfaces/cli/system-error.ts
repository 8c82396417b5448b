/** Whether an error is a system error with this code, such as `ENOENT`. */
export function hasSystemCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
