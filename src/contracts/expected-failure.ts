/** Something outside said no, as it will now and then: git, the disk, a process. Recorded, never a defect. */
export class ExpectedFailure extends Error {
  override readonly name: string = 'ExpectedFailure';
}

/** Also the operating system's own errors, which carry a code such as ENOSPC. */
export function isExpectedFailure(error: unknown): error is Error {
  if (error instanceof ExpectedFailure) return true;
  return error instanceof Error && 'code' in error && /^E[A-Z0-9]+$/.test(String(error.code));
}
