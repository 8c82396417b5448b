import { appendFile, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTrustFiles } from '../../src/adapters/trust/trust-files.ts';
import type { TrustedPart } from '../../src/contracts/config/trust.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'conductor-trust-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const part = (name: string): TrustedPart => ({
  repository: '/src/shop',
  kind: 'validator',
  name,
  text: `run ${name}`,
  digest: `d-${name}`,
  trusted_at: '2026-01-01T00:00:00Z',
});

describe('the files of what is trusted', () => {
  it('keep what was added, by repository, for the user alone', async () => {
    const store = createTrustFiles(join(folder, 'trust'));
    expect(await store.find('/src/shop/.git')).toEqual([]);
    expect(await store.list()).toEqual([]);
    await store.add('/src/shop/.git', [part('a'), part('b')]);
    await store.add('/src/shop/.git', [part('c')]);
    await store.add('/other/shop/.git', [part('x')]);
    expect(await store.find('/src/shop/.git')).toEqual([part('a'), part('b'), part('c')]);
    expect(await store.list()).toHaveLength(2);
    const [file = ''] = await readdir(join(folder, 'trust'));
    expect(file).toMatch(/^shop-[0-9a-f]{16}\.ndjson$/);
    expect((await stat(join(folder, 'trust', file))).mode & 0o077).toBe(0);
    expect((await stat(join(folder, 'trust'))).mode & 0o077).toBe(0);
    expect(await store.remove('/src/shop/.git')).toBe(true);
    expect(await store.remove('/src/shop/.git')).toBe(false);
    expect(await store.find('/src/shop/.git')).toEqual([]);
    expect(await store.find('/other/shop/.git')).toEqual([part('x')]);
  });

  it('lose nothing when many add at the same time', async () => {
    const stores = Array.from({ length: 20 }, () => createTrustFiles(folder));
    await Promise.all(stores.map((store, index) => store.add('/r/.git', [part(`p${index}`)])));
    expect(await stores[0]?.find('/r/.git')).toHaveLength(20);
  });

  it('skip a line that a crash cut off, and keep what comes after it', async () => {
    const store = createTrustFiles(folder);
    await store.add('/r/.git', [part('a')]);
    const [file = ''] = await readdir(folder);
    await appendFile(join(folder, file), '{"repository":"/r","kind":"valid');
    await store.add('/r/.git', [part('b')]);
    expect(await store.find('/r/.git')).toEqual([part('a'), part('b')]);
    expect(await readFile(join(folder, file), 'utf8')).toContain('"valid\n');
  });

  it("say why something can't be recorded", async () => {
    const store = createTrustFiles('/dev/null/trust');
    await expect(store.add('/r/.git', [part('a')])).rejects.toThrow(/can't be recorded in/);
  });
});
