import { expect, it } from 'vitest';
import { tellFailure } from '../../../src/contracts/expected-failure.ts';

const failure = (fields: Record<string, string>) => Object.assign(new Error('as node says it'), fields);

it.each([
  [
    { code: 'EROFS', path: '/r/x', syscall: 'open' },
    "/r/x can't be written: its file system is read-only (EROFS)",
    'make it writable',
  ],
  [
    { code: 'EACCES', path: '/r/x', syscall: 'open' },
    "/r/x can't be written: this user has no permission (EACCES)",
    'make it writable for this user',
  ],
  [
    { code: 'ENOSPC', path: '/r/x', syscall: 'write' },
    "/r/x can't be written: the disk is full (ENOSPC)",
    'free some disk space',
  ],
  [
    { code: 'ENOENT', path: '/r/x', syscall: 'mkdir' },
    "/r/x can't be written: the folder cannot be created (ENOENT)",
    'make the folder above it writable',
  ],
  [{ code: 'ENOENT', path: '/r/x', syscall: 'open' }, 'as node says it', null],
  [{ code: 'ENOSPC', syscall: 'write' }, 'as node says it', null],
  [{ code: 'constructor', path: '/r/x' }, 'as node says it', null],
])('a failure of the operating system, %j, is told as %j', (fields, message, wayOut) => {
  expect(tellFailure(failure(fields))).toEqual({ message, wayOut });
});
