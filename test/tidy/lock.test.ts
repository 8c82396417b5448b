import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { completeLock } from '../../scripts/complete-lock.mjs';

describe('the lock file', () => {
  it('names the packages of every platform, or npm ci refuses it', async () => {
    const lock = JSON.parse(await readFile(new URL('../../package-lock.json', import.meta.url), 'utf8'));
    expect(Object.keys(lock.packages).length).toBeGreaterThan(50);
    expect(completeLock(lock)).toEqual([]);
  });

  it.each(['', 'acp/'])(
    'of the real agents in %j names the packages of every platform, too',
    async (folder) => {
      const path = new URL(`../real-agents/${folder}package-lock.json`, import.meta.url);
      const lock = JSON.parse(await readFile(path, 'utf8'));
      expect(Object.keys(lock.packages).length).toBeGreaterThan(10);
      expect(completeLock(lock)).toEqual([]);
    },
  );

  it('is completed where a registry left something out', () => {
    const lock = {
      packages: {
        'node_modules/tool': {
          dev: true,
          optionalDependencies: { '@tool/linux-x64-musl': '1.2.3', '@tool/darwin-arm64': '1.2.3' },
        },
        'node_modules/tool/node_modules/@tool/darwin-arm64': { version: '1.2.3' },
      },
    };
    expect(completeLock(lock)).toEqual(['@tool/linux-x64-musl']);
    expect(lock.packages).toMatchObject({
      'node_modules/@tool/linux-x64-musl': {
        version: '1.2.3',
        cpu: ['x64'],
        os: ['linux'],
        libc: ['musl'],
        dev: true,
        optional: true,
      },
    });
  });

  it('is completed beside another version of the same package', () => {
    const lock = {
      packages: {
        'node_modules/@tool/linux-x64-musl': { version: '1.0.0' },
        'node_modules/tool': { optionalDependencies: { '@tool/linux-x64-musl': '1.2.3' } },
      },
    };
    expect(completeLock(lock)).toEqual(['@tool/linux-x64-musl']);
    expect(lock.packages).toMatchObject({
      'node_modules/@tool/linux-x64-musl': { version: '1.0.0' },
      'node_modules/tool/node_modules/@tool/linux-x64-musl': { version: '1.2.3', libc: ['musl'] },
    });
    expect(completeLock(lock)).toEqual([]);
  });

  it('is not completed by a guess', () => {
    const lock = { packages: { 'node_modules/tool': { optionalDependencies: { helper: '1.0.0' } } } };
    expect(() => completeLock(lock)).toThrow('helper@1.0.0');
  });
});
