import { mkdtemp, readdir, rename, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createEmbeddedEngine } from '../../src/adapters/run-store/embedded-engine.ts';
import { formatIdentity, thisProcess } from '../../src/adapters/run-store/process-identity.ts';
import { systemClock } from '../../src/adapters/system/clock.ts';
import type { Engine } from '../../src/ports/engine.ts';
import type { DrivenRun } from '../../src/ports/run-store.ts';
import { ENGINE_CASES } from '../../testing/engine-conformance.ts';

let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'conductor-engine-'));
});

afterEach(() => rm(root, { recursive: true, force: true }));

function openEngine(): Engine {
  return createEmbeddedEngine({ repoRoot: root, runsDir: join(root, '.tnh/run'), clock: systemClock });
}

/** Gives the lock of this process to one of another boot, whose lease ran out a minute ago, and takes it from that. */
async function takeOver(runId: string): Promise<DrivenRun> {
  const path = join(root, '.tnh/run', runId);
  const [lock = ''] = (await readdir(path)).filter((name) => name.startsWith('lock.'));
  const foreign = join(path, `lock.${formatIdentity({ ...thisProcess(), boot: '0000deadbeef' })}.0011`);
  await rename(join(path, lock), foreign);
  const renewed = Date.now() / 1000 - 60;
  await utimes(foreign, renewed, renewed);
  const driven = await openEngine().drive(runId);
  if (!driven.ok) throw new Error(`not driven: ${driven.problem.kind}`);
  return driven.run;
}

describe('the embedded engine', () => {
  it.each(ENGINE_CASES)('$name', async ({ run }) => {
    const world = { engine: openEngine(), reopen: async () => openEngine(), takeOver };
    await expect(run(world)).resolves.toBeUndefined();
  });
});
