import { describe, expect, it } from 'vitest';
import { parseSalvage, salvageRefOf } from '../../../src/adapters/workspace/result/salvage-refs.ts';
import { chooseRef, chooseSalvage } from '../../../src/app/runs/undo-run.ts';
import type { Salvage } from '../../../src/ports/upkeep.ts';

const COMMIT = 'c'.repeat(40);

function salvage(name: string): Salvage {
  const parsed = parseSalvage(salvageRefOf('r1', name), COMMIT, '2026-03-31T12:00:00+00:00', 'repository');
  if (parsed === null) throw new Error(`${name} is not the name of a salvage`);
  return parsed;
}

describe('the salvage that is meant', () => {
  const kept = ['fix@1', 'undo@1', 'fix@2', 'ref/heads/main'].map(salvage);

  it.each([
    ['of a step is its newest', 'fix', 'fix@2'],
    ['of a name is that one', 'fix@1', 'fix@1'],
  ])('%s', (_, wanted, name) => {
    expect(chooseSalvage(kept, wanted)).toMatchObject({ ok: true, salvage: { name } });
  });

  it.each([
    ['one', [salvage('fix@1'), salvage('ref/heads/main')], { ok: true, salvage: { name: 'fix@1' } }],
    ['several', kept, { ok: false, reason: 'several', names: ['fix@1', 'undo@1', 'fix@2'] }],
    ['none', [salvage('undone/heads/main')], { ok: false, reason: 'none' }],
    [
      'none but refs',
      [salvage('ref/heads/main')],
      { ok: false, reason: 'only_refs', names: ['refs/heads/main'] },
    ],
  ])('is the only one without a name: %s', (_, salvages, choice) => {
    expect(chooseSalvage(salvages, null)).toMatchObject(choice);
  });

  it('is none that was never kept', () => {
    expect(chooseSalvage(kept, 'other')).toMatchObject({ ok: false, reason: 'unknown' });
  });
});

describe('the ref that is meant', () => {
  const kept = ['ref/tags/v1', 'ref/heads/v1', 'ref/remotes/origin/x', 'undone/heads/y'].map(salvage);

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
