import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createCredentialWaits, stateFolderOf } from '../../src/adapters/system/credential-waits.ts';

const WAIT = { until: '2026-01-01T02:00:00.000Z', reason: 'the quota is spent' };

describe('what runs share about an account', () => {
  let root: string;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'conductor-waits-'));
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  it('is found under the same name and no other, by another process too', async () => {
    await createCredentialWaits(join(root, 'waits')).put('one', WAIT);
    const another = createCredentialWaits(join(root, 'waits'));
    expect(await another.find('one')).toEqual(WAIT);
    expect(await another.find('two')).toBeNull();
  });

  it('is replaced by a later one, leaves no other file and is readable only by its owner', async () => {
    const waits = createCredentialWaits(root);
    const later = { ...WAIT, until: '2026-01-02T00:00:00.000Z' };
    await waits.put('one', WAIT);
    await waits.put('one', later);
    expect(await waits.find('one')).toEqual(later);
    const [file = '', ...others] = await readdir(root);
    expect(others).toEqual([]);
    expect((await stat(join(root, file))).mode & 0o077).toBe(0);
    expect(await readFile(join(root, file), 'utf8')).not.toContain('one');
  });

  it.each(['', '{', '[]', '{"until":"soon","reason":"x"}'])(
    'is nothing where the file holds %j',
    async (text) => {
      const waits = createCredentialWaits(root);
      await waits.put('one', WAIT);
      const [file = ''] = await readdir(root);
      await writeFile(join(root, file), text);
      expect(await waits.find('one')).toBeNull();
    },
  );

  it('is a hint: where it cannot be kept, nothing fails', async () => {
    await writeFile(join(root, 'file'), '');
    const waits = createCredentialWaits(join(root, 'file', 'waits'));
    await waits.put('one', WAIT);
    expect(await waits.find('one')).toBeNull();
  });

  it.each([
    [{ HOME: '/h' }, '/h/.local/state/conductor'],
    [{ HOME: '/h', XDG_STATE_HOME: '/s' }, '/s/conductor'],
    [{ HOME: '/h', XDG_STATE_HOME: '' }, '/h/.local/state/conductor'],
    [{ HOME: '/h', XDG_STATE_HOME: 'state' }, '/h/.local/state/conductor'],
  ])('of %j is in %s', (env, folder) => {
    expect(stateFolderOf(env)).toBe(folder);
  });
});
