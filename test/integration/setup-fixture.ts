import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { resolveProgram } from '../../src/adapters/process/program.ts';
import { createSupervisor } from '../../src/adapters/process/supervisor.ts';
import { createCheckoutSetup } from '../../src/adapters/setup/checkout-setup.ts';
import type { SetupConfig } from '../../src/contracts/config/setup-config.ts';
import type { CheckoutSetup, SetupRequest, SetupResult } from '../../src/ports/workspace/setup.ts';

export const SECRET = ['ghp', 'a'.repeat(36)].join('_');

/** The user's repository, the state folder, and the two checkouts of a run, as far as setup sees them. */
export interface SetupScene {
  readonly root: string;
  readonly user: string;
  readonly work: string;
  readonly judge: string;
  readonly stateDir: string;
  readonly cacheFolder: string;
  readonly env: Record<string, string>;
  readonly setup: (config: Partial<SetupConfig> | null) => CheckoutSetup;
  readonly request: (checkout: string, change?: Partial<SetupRequest>) => SetupRequest;
  /** Writes files below a folder. */
  readonly write: (folder: string, files: Readonly<Record<string, string>>) => Promise<void>;
}

export async function makeScene(): Promise<SetupScene> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'conductor setup ')));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const user = join(root, 'home/shop');
  const repositoryFolder = join(root, 'state/shop-0123');
  const stateDir = join(repositoryFolder, 'run-a');
  const [work, judge] = [join(stateDir, 'work'), join(stateDir, 'judge')];
  for (const folder of [user, work, judge]) await mkdir(folder, { recursive: true });
  const env = { PATH: process.env.PATH ?? '', HOME: join(root, 'home') };
  const cacheFolder = join(repositoryFolder, 'setup');
  return {
    root,
    user,
    work,
    judge,
    stateDir,
    cacheFolder,
    env,
    setup: (config) =>
      createCheckoutSetup({
        setup:
          config === null ? null : { run: [], cache: null, copy: [], ports: 0, timeout: '15m', ...config },
        timeoutMs: 60_000,
        repoRoot: user,
        cacheFolder,
        portsFolder: join(root, 'state/ports'),
        supervisor: createSupervisor({ sandbox: null, secrets: [SECRET] }),
        resolveProgram,
        captureLimitBytes: 1_000_000,
        graceMs: 200,
      }),
    request: (checkout, change = {}) => ({
      checkout,
      otherCheckouts: [user, join(root, 'state')],
      stateDir,
      isChanged: false,
      evidenceDir: join(root, 'evidence'),
      confinement: null,
      env,
      mark: `setup-test-${process.pid}`,
      signal: new AbortController().signal,
      onLine: () => undefined,
      ...change,
    }),
    write: async (folder, files) => {
      for (const [path, text] of Object.entries(files)) {
        await mkdir(dirname(join(folder, path)), { recursive: true });
        await writeFile(join(folder, path), text);
      }
    },
  };
}

/** A result that has to be a success. */
export function expectOk(result: SetupResult): Extract<SetupResult, { ok: true }> {
  if (!result.ok) throw new Error(result.reason);
  return result;
}

/** A result that has to be a failure. */
export function expectFailure(result: SetupResult): Extract<SetupResult, { ok: false }> {
  if (result.ok) throw new Error('setup succeeded');
  return result;
}
