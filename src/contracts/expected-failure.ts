/** A failure of git, the disk or a process that is expected to happen at times. It is recorded and is not a bug. */
export class ExpectedFailure extends Error {
  override readonly name: string = 'ExpectedFailure';
}

/** Includes errors of the operating system, which have a code such as ENOSPC. */
export function isExpectedFailure(error: unknown): error is Error {
  if (error instanceof ExpectedFailure) return true;
  return error instanceof Error && 'code' in error && /^E[A-Z0-9]+$/.test(String(error.code));
}

/** Errors when writing a file: the reason and the fix. */
const REFUSALS: Readonly<Record<string, readonly [reason: string, wayOut: string]>> = {
  EROFS: ['its file system is read-only', 'make it writable'],
  EACCES: ['this user may not', 'make it writable for this user'],
  EPERM: ['this user may not', 'make it writable for this user'],
  ENOSPC: ['the disk is full', 'make room'],
  EDQUOT: ['the quota of this user is spent', 'make room'],
};
/** Node reports ENOENT if `mkdir` can't create a folder or its parents. */
const UNMADE_FOLDER = ['no folder can be made there', 'make the folder above it writable'] as const;

/** A self-contained message for an error; `wayOut` is the fix, or null if none is known. */
export function tellFailure(error: unknown): { readonly message: string; readonly wayOut: string | null } {
  if (!(error instanceof Error)) return { message: String(error), wayOut: null };
  const { code, path, syscall } = error as Error & Partial<Record<'code' | 'path' | 'syscall', unknown>>;
  const isUnmade = code === 'ENOENT' && syscall === 'mkdir';
  const refusal = isUnmade ? UNMADE_FOLDER : Object.entries(REFUSALS).find(([name]) => name === code)?.[1];
  if (refusal === undefined || typeof path !== 'string') return { message: error.message, wayOut: null };
  const [reason, wayOut] = refusal;
  return { message: `${path} can't be written: ${reason} (${String(code)})`, wayOut };
}
