import { describe, expect, it } from 'vitest';
import { parseSalvage } from '../../../src/adapters/git/salvage-refs.ts';
import type { Salvage } from '../../../src/ports/upkeep.ts';
import { chooseRef, chooseSalvage } from '../../../src/runtime/undo.ts';

const COMMIT = 'c'.repeat(40);

function salvage(name: string): Salvage {
  const parsed = parseSalvage(`${COMMIT} 2026-03-31T12:00:00+00:00 refs/conductor/salvage/r1/${name}`);
  if (parsed === null) throw new Error(`${name} is not the name of a salvage`);
  return parsed;
}

describe('the ref of a salvage', () => {
  it.each([
    ['fix@1', { kind: 'files', stepId: 'fix' }],
    ['fix@12-2', { kind: 'files', stepId: 'fix' }],
    ['worktree', { kind: 'files', stepId: null }],
    ['stash/abc', { kind: 'files', stepId: null }],
    ['moved/fix@1/refs/heads/x', { kind: 'files', stepId: null }],
    ['refs/refs/heads/main', { kind: 'ref', refName: 'refs/heads/main', undone: false }],
    ['refs/heads/main', { kind: 'ref', refName: 'refs/heads/main', undone: false }],
    ['undone/refs/heads/main', { kind: 'ref', refName: 'refs/heads/main', undone: true }],
  ])('%s says what was kept', (name, of) => {
    expect(salvage(name)).toMatchObject({ runId: 'r1', name, commit: COMMIT, of });
  });

  it.each(['', 'not a ref', `${COMMIT}  refs/heads/main`, `${COMMIT}  refs/conductor/salvage/r1`])(
    'is none: %j',
    (line) => {
      expect(parseSalvage(line)).toBeNull();
    },
  );
});

describe('the salvage that is meant', () => {
  const kept = ['fix@1', 'undo@1', 'fix@2', 'refs/refs/heads/main'].map(salvage);

  it.each([
    ['of a step is its newest', 'fix', 'fix@2'],
    ['of a name is that one', 'fix@1', 'fix@1'],
  ])('%s', (_, wanted, name) => {
    expect(chooseSalvage(kept, wanted)).toMatchObject({ ok: true, salvage: { name } });
  });

  it.each([
    ['one', [salvage('fix@1'), salvage('refs/refs/heads/main')], { ok: true, salvage: { name: 'fix@1' } }],
    ['several', kept, { ok: false, reason: 'several', names: ['fix@1', 'undo@1', 'fix@2'] }],
    ['none', [salvage('undone/refs/heads/main')], { ok: false, reason: 'none' }],
    [
      'none but refs',
      [salvage('refs/refs/heads/main')],
      { ok: false, reason: 'only_refs', names: ['refs/heads/main'] },
    ],
  ])('is the only one when nobody says which: %s', (_, salvages, choice) => {
    expect(chooseSalvage(salvages, null)).toMatchObject(choice);
  });

  it('is none that nobody kept', () => {
    expect(chooseSalvage(kept, 'other')).toMatchObject({ ok: false, reason: 'unknown' });
  });
});

describe('the ref that is meant', () => {
  const kept = [
    'refs/refs/tags/v1',
    'refs/refs/heads/v1',
    'refs/refs/remotes/origin/x',
    'undone/refs/heads/y',
  ].map(salvage);

  it.each([
    ['refs/tags/v1', 'refs/tags/v1'],
    ['tags/v1', 'refs/tags/v1'],
    ['v1', 'refs/heads/v1'],
    ['origin/x', 'refs/remotes/origin/x'],
  ])('by %s is %s', (wanted, refName) => {
    expect(chooseRef(kept, wanted)).toMatchObject({ ok: true, salvage: { of: { refName } } });
  });

  it.each(['y', 'v', ''])('is none by %j', (wanted) => {
    expect(chooseRef(kept, wanted).ok).toBe(false);
  });
});
