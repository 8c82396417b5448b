import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { findSessionFiles, maskFiles, moveSession } from '../../src/adapters/agents/session-files.ts';

const ID = '0199ab00-1234';
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'conductor-sessions-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
});

describe('the files of a session', () => {
  it('hold no secret after masking, and everything else byte for byte', async () => {
    await mkdir(join(folder, 'kept/deep'), { recursive: true });
    await writeFile(join(folder, 'kept/deep/a.jsonl'), '{"key":"s3cret-value","again":"s3cret-value"}\n');
    await writeFile(join(folder, 'outside.txt'), 's3cret-value\n');
    await symlink(join(folder, 'outside.txt'), join(folder, 'kept/link'));
    execFileSync('mkfifo', [join(folder, 'kept/pipe')]);
    await maskFiles(join(folder, 'kept'), ['s3cret-value', '']);
    const masked = '*'.repeat(12);
    expect(await readFile(join(folder, 'kept/deep/a.jsonl'), 'utf8')).toBe(
      `{"key":"${masked}","again":"${masked}"}\n`,
    );
    expect(await readFile(join(folder, 'outside.txt'), 'utf8')).toBe('s3cret-value\n');
  });

  it('are found by the id, moved without the files of others, and leave no empty folder', async () => {
    const [home, kept] = [join(folder, 'home'), join(folder, 'kept')];
    await mkdir(join(home, '2026/11/16'), { recursive: true });
    await writeFile(join(home, '2026/11/16', `rollout-${ID}.jsonl`), 'mine\n');
    await writeFile(join(home, 'history.jsonl'), 'of all\n');
    expect(await findSessionFiles(home, ID)).toEqual([`2026/11/16/rollout-${ID}.jsonl`]);
    expect(await findSessionFiles(home, '../x')).toEqual([]);
    await moveSession(ID, home, kept);
    expect(await readFile(join(kept, '2026/11/16', `rollout-${ID}.jsonl`), 'utf8')).toBe('mine\n');
    expect(await findSessionFiles(home, ID)).toEqual([]);
    await expect(readFile(join(home, 'history.jsonl'), 'utf8')).resolves.toBe('of all\n');
    await expect(readFile(join(home, '2026'))).rejects.toThrow('ENOENT');
  });
});
