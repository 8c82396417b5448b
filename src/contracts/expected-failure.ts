/** Something outside said no, as it will now and then: git, the disk, a process. Recorded, never a defect. */
export class ExpectedFailure extends Error {
  override readonly name: string = 'ExpectedFailure';
}

/** Also the operating system's own errors, which carry a code such as ENOSPC. */
export function isExpectedFailure(error: unknown): error is Error {
  if (error instanceof ExpectedFailure) return true;
  return error instanceof Error && 'code' in error && /^E[A-Z0-9]+$/.test(String(error.code));
}

/** Where the operating system says no to whoever writes: what stands in the way, and what to do about it. */
const REFUSALS: Readonly<Record<string, readonly [reason: string, wayOut: string]>> = {
  EROFS: ['its file system is read-only', 'make it writable'],
  EACCES: ['this user may not', 'make it writable for this user'],
  EPERM: ['this user may not', 'make it writable for this user'],
  ENOSPC: ['the disk is full', 'make room'],
  EDQUOT: ['the quota of this user is spent', 'make room'],
};
/** Node takes a folder that can't be made with those above it for one that is not there. */
const UNMADE_FOLDER = ['no folder can be made there', 'make the folder above it writable'] as const;

/** An error in words that stand alone, for people; `wayOut` is null where only its own message tells. */
export function tellFailure(error: unknown): { readonly message: string; readonly wayOut: string | null } {
  if (!(error instanceof Error)) return { message: String(error), wayOut: null };
  const { code, path, syscall } = error as Error & Partial<Record<'code' | 'path' | 'syscall', unknown>>;
  const isUnmade = code === 'ENOENT' && syscall === 'mkdir';
  const refusal = isUnmade ? UNMADE_FOLDER : Object.entries(REFUSALS).find(([name]) => name === code)?.[1];
  if (refusal === undefined || typeof path !== 'string') return { message: error.message, wayOut: null };
  const [reason, wayOut] = refusal;
  return { message: `${path} can't be written: ${reason} (${String(code)})`, wayOut };
}
