import { describe, expect, it } from 'vitest';
import { ExpectedFailure, loadOptional } from '../../../src/contracts/expected-failure.ts';

function notFound(name: string): Error {
  return Object.assign(new Error(`Cannot find package '${name}' imported from /a/b.js`), {
    code: 'ERR_MODULE_NOT_FOUND',
  });
}

describe('an optional package', () => {
  it('is loaded where it is installed', async () => {
    await expect(loadOptional('drawing', 'zod', () => import('zod'))).resolves.toHaveProperty('string');
  });

  it('that is missing is named with what needs it and how to install it', async () => {
    const loaded = loadOptional('comparing pictures', 'pngjs', () => Promise.reject(notFound('pngjs')));
    await expect(loaded).rejects.toThrow(ExpectedFailure);
    await expect(loaded).rejects.toThrow(
      'comparing pictures needs the package pngjs; install it with npm install pngjs, with -g if conductor is installed globally',
    );
  });

  it.each([
    ['one of its own dependencies is missing', notFound('left-pad')],
    ['it fails by itself', new Error("'pngjs' is broken")],
  ])('gives its own error where %s', async (_, error) => {
    await expect(loadOptional('comparing pictures', 'pngjs', () => Promise.reject(error))).rejects.toBe(
      error,
    );
  });
});
