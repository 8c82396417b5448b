import { describe, expect, it } from 'vitest';
import type { FileChange } from '../../../src/contracts/run/workspace-change.ts';
import { fingerprintDiff } from '../../../src/runtime/evidence/workspace-evidence.ts';

const file = (path: string, blob: string, newMode = '100644'): FileChange => ({
  path,
  oldPath: null,
  status: 'M',
  insertions: 1,
  deletions: 0,
  oldMode: '100644',
  newMode,
  blob,
});

const print = (...files: FileChange[]) => fingerprintDiff({ files, insertions: 0, deletions: 0 });

describe('the fingerprint of a change', () => {
  it('is the same for the same paths and blobs', () => {
    expect(print(file('a', '1'), file('b', '2'))).toBe(print(file('a', '1'), file('b', '2')));
  });

  it.each([
    ['another blob', print(file('a', '2'))],
    ['another path', print(file('b', '1'))],
    ['another mode', print(file('a', '1', '100755'))],
    ['one more file', print(file('a', '1'), file('b', '1'))],
    ['a path that swallows the blob', print(file('a\u00001', ''))],
  ])('differs for %s', (_, other) => {
    expect(other).not.toBe(print(file('a', '1')));
  });
});
