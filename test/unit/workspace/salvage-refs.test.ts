import { describe, expect, it } from 'vitest';
import {
  parseSalvage,
  salvageRefOf,
  undoneRefOf,
} from '../../../src/adapters/workspace/result/salvage-refs.ts';
import type { Salvage } from '../../../src/ports/upkeep.ts';

const COMMIT = 'c'.repeat(40);
const WHEN = '2026-03-31T12:00:00+00:00';
const ROOT = 'refs/conductor/salvage';

const FILES = (stepId: string | null): Salvage['of'] => ({ kind: 'files', stepId });
const REF = (refName: string, undone = false): Salvage['of'] => ({ kind: 'ref', refName, undone });

describe('the name of a salvage ref', () => {
  it.each([
    ['r1', 'result', FILES(null)],
    ['r1.fix@1', 'fix@1', FILES('fix')],
    ['r1.fix@12-2', 'fix@12-2', FILES('fix')],
    ['r1.fix@2.submodule-1', 'fix@2.submodule-1', FILES('fix')],
    ['r1.worktree', 'worktree', FILES(null)],
    ['r1.branch', 'branch', FILES(null)],
    ['r1.commits', 'commits', FILES(null)],
    ['r1.ref/heads/main', 'ref/heads/main', REF('refs/heads/main')],
    ['r1.ref/stash', 'ref/stash', REF('refs/stash')],
    ['r1.undone/heads/main', 'undone/heads/main', REF('refs/heads/main', true)],
  ])('%s says what was kept', (path, name, of) => {
    const found = parseSalvage(`${ROOT}/${path}`, COMMIT, WHEN, 'repository');
    expect(found).toMatchObject({ runId: 'r1', name, commit: COMMIT, of, place: 'repository' });
  });

  it.each([
    ['r1/fix@1', 'fix@1', FILES('fix')],
    ['r1/worktree', 'worktree', FILES(null)],
    ['r1/stash/abc', 'stash/abc', FILES(null)],
    ['r1/moved/fix@1/refs/heads/x', 'moved/fix@1/refs/heads/x', FILES(null)],
    ['r1/refs/refs/heads/main', 'refs/refs/heads/main', REF('refs/heads/main')],
    ['r1/refs/heads/main', 'refs/heads/main', REF('refs/heads/main')],
    ['r1/undone/refs/heads/main', 'undone/refs/heads/main', REF('refs/heads/main', true)],
  ])('%s of an earlier version is still read', (path, name, of) => {
    const found = parseSalvage(`${ROOT}/${path}`, COMMIT, WHEN, 'repository');
    expect(found).toMatchObject({ runId: 'r1', name, of });
  });

  it.each(['', 'refs/heads/main', ROOT, `${ROOT}/`, `${ROOT}/.x`, `x/${ROOT}/r1`])('is not %j', (ref) => {
    expect(parseSalvage(ref, COMMIT, WHEN, 'repository')).toBeNull();
  });

  it('dates files but not refs, whose commits are older than the salvage', () => {
    const keptAt = (name: string) =>
      parseSalvage(salvageRefOf('r1', name), COMMIT, WHEN, 'workspace')?.keptAt;
    expect([keptAt('fix@1'), keptAt('ref/heads/main')]).toEqual([WHEN, null]);
  });

  it.each(['result', 'worktree', 'fix@2', 'ref/heads/a.b'])('is read as it was written: %s', (name) => {
    expect(parseSalvage(salvageRefOf('r1', name), COMMIT, null, 'workspace')).toMatchObject({
      runId: 'r1',
      name,
    });
  });

  it('of a value that a ref had before it was restored names that ref', () => {
    const found = parseSalvage(undoneRefOf('r1', 'refs/tags/v1.2'), COMMIT, null, 'repository');
    expect(found?.of).toEqual(REF('refs/tags/v1.2', true));
  });
});
