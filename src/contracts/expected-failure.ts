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
const WRITE_ERRORS: Readonly<Record<string, readonly [reason: string, fix: string]>> = {
  EROFS: ['its file system is read-only', 'make it writable'],
  EACCES: ['this user has no permission', 'make it writable for this user'],
  EPERM: ['this user has no permission', 'make it writable for this user'],
  ENOSPC: ['the disk is full', 'free some disk space'],
  EDQUOT: ['the disk quota of this user is used up', 'free some disk space'],
};
/** Node reports ENOENT if `mkdir` can't create a folder or its parents. */
const FAILED_MKDIR = ['the folder cannot be created', 'make the folder above it writable'] as const;

export interface DescribedFailure {
  readonly message: string;
  /** Null if no fix is known. */
  readonly wayOut: string | null;
}

/** A self-contained message for an error. */
export function tellFailure(error: unknown): DescribedFailure {
  if (!(error instanceof Error)) return { message: String(error), wayOut: null };
  const { code, path, syscall } = error as Error & Partial<Record<'code' | 'path' | 'syscall', unknown>>;
  const isFailedMkdir = code === 'ENOENT' && syscall === 'mkdir';
  const known = isFailedMkdir
    ? FAILED_MKDIR
    : Object.entries(WRITE_ERRORS).find(([name]) => name === code)?.[1];
  if (known === undefined || typeof path !== 'string') return { message: error.message, wayOut: null };
  const [reason, wayOut] = known;
  return { message: `${path} can't be written: ${reason} (${String(code)})`, wayOut };
}

/** Loads an optional package. If it is missing, the failure says how to install it. */
export async function loadOptional<T>(purpose: string, name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if (!isMissing(error, name)) throw error;
    const install = `npm install ${name}, with -g if conductor is installed globally`;
    throw new ExpectedFailure(`${purpose} needs the package ${name}; install it with ${install}`, {
      cause: error,
    });
  }
}

/** False if the package is installed, but one of its dependencies is missing. */
function isMissing(error: unknown, name: string): boolean {
  const isNotFound = error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND';
  return isNotFound && error.message.includes(`'${name}'`);
}
