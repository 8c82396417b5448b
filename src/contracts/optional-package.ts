import { ExpectedFailure } from './expected-failure.ts';

/** Loads an optional package; the error says how to install it. */
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
