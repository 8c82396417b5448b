import type { CheckoutSetup, SetupRequest, SetupResult } from '../ports/setup.ts';
import type { Life } from './sim-life.ts';
import type { SimScript } from './sim-script.ts';
import { durableEntry, type SimWorld } from './sim-world.ts';

const DIGEST = 'd'.repeat(64);

/**
 * A setup with one command, which the script may fail. The preparation is expensive, so it must happen before
 * the first step.
 */
export function createSimSetup(world: SimWorld, life: Life, script: SimScript): CheckoutSetup {
  const prepare = async ({ evidenceDir, mark }: SetupRequest): Promise<SetupResult> => {
    if (durableEntry(world) !== null) world.breaches.push('a run is set up after its first step started');
    const fails = script.preparationFails === 'setup';
    const program = { mark, parent: life, writes: [] };
    world.programs.add(program);
    await life.point('setup');
    const [stdoutPath, stderrPath] = [`${evidenceDir}/setup.stdout.txt`, `${evidenceDir}/setup.stderr.txt`];
    world.disk.write(stdoutPath, fails ? '' : 'installed\n', false);
    world.disk.write(stderrPath, fails ? 'no such package\n' : '', false);
    world.programs.delete(program);
    await life.point('setup:done');
    const exitCode = fails ? 1 : 0;
    const commands = [{ command: ['npm', 'ci'], exitCode, durationMs: 0, stdoutPath, stderrPath }];
    return fails
      ? {
          ok: false,
          reason: 'npm ci exited with 1',
          commands,
          notes: [],
          foreign: [],
          exitCode,
          cancelled: false,
        }
      : { ok: true, digest: DIGEST, cacheHit: false, commands, notes: [] };
  };
  return {
    isConfigured: true,
    commands: [],
    digest: async () => DIGEST,
    keyFiles: async () => new Map(),
    prepare,
    restore: async () => {
      await life.point('setup:restored');
      return { ok: true, digest: DIGEST, cacheHit: true, commands: [], notes: [] };
    },
    scan: async () => [],
    reservePorts: async () => null,
    releasePorts: async () => {},
    ownedPaths: [],
  };
}
