import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { askVersion } from '../../src/adapters/agents/program-version.ts';
import { KNOWN_PROGRAMS } from '../../src/agents/known-programs.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'conductor-version-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function program(text: string): Promise<string> {
  const path = join(folder, 'program');
  await writeFile(path, text);
  await chmod(path, 0o755);
  return path;
}

const env = { PATH: process.env.PATH };

describe('the version of a program', () => {
  it.each([
    ['what it prints', 'echo "2.1.197 (Claude Code)"', '2.1.197 (Claude Code)'],
    ['without its colours', String.raw`printf '\033[31m\007codex 0.9.1\033[0m\n'`, 'codex 0.9.1'],
    ['on whichever line it is', 'echo warning: old; echo v1.2', 'v1.2'],
  ])('is %s', async (_what, line, version) => {
    expect(await askVersion(await program(`#!/bin/sh\n${line}\n`), env)).toEqual({ version, problem: null });
  });

  it.each([
    ['it fails', '#!/bin/sh\nexit 3\n', 'exits with code 3 when asked for its version'],
    ['it is killed', '#!/bin/sh\nkill -9 $$\n', 'was killed by SIGKILL when asked for its version'],
    ['it says nothing', '#!/bin/sh\n', 'prints no version'],
    ['it says something else', '#!/bin/sh\necho hello\n', 'prints no version'],
    ['it has no interpreter', '#!/no/such/shell\n', expect.stringContaining("can't be started")],
  ])('is not known where %s', async (_what, text, problem) => {
    expect(await askVersion(await program(text), env)).toEqual({ version: null, problem });
  });

  it('is not waited for without end', async () => {
    expect(await askVersion(await program('#!/bin/sh\nsleep 600\n'), env, 50)).toEqual({
      version: null,
      problem: 'printed no version within 0.05 s',
    });
  });

  it('leaves nothing running that was started for it', async () => {
    const script = '#!/bin/sh\nsleep 600 &\necho $! > "${0%/*}/pid"\necho 1.2.3\n';
    expect(await askVersion(await program(script), env)).toEqual({ version: '1.2.3', problem: null });
    const pid = (await readFile(join(folder, 'pid'), 'utf8')).trim();
    // A version that was not used yet is dropped as well.
    const isGone = async () =>
      expect(await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ') Z')).toContain(') Z');
    await vi.waitFor(isGone, { timeout: 60_000 });
  });
});

describe('the versions that agents were driven with', () => {
  it.each(['', 'acp'])('are those that are installed for the tests %s', async (place) => {
    const path = join(import.meta.dirname, '..', 'real-agents', place, 'package.json');
    const { dependencies } = JSON.parse(await readFile(path, 'utf8')) as { dependencies: object };
    const known = Object.values(KNOWN_PROGRAMS).map(({ install, measured }) => [
      install.replace('npm install -g ', ''),
      measured,
    ]);
    expect(known).toEqual(expect.arrayContaining(Object.entries(dependencies)));
  });
});
