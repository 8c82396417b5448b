/** Whether an error is the operating system's, with this code. */
export function hasSystemCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
