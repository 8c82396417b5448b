import { join } from 'node:path';
import { findAnswerer } from '../adapters/process/answerer.ts';
import { detectValidators } from '../adapters/project/detect-validators.ts';
import { systemFiles } from '../adapters/project/files.ts';
import { systemClock } from '../adapters/system/clock.ts';
import { stateFolderOf } from '../adapters/system/credential-waits.ts';
import { createTrustFiles } from '../adapters/trust/trust-files.ts';
import type { TrustDeps } from '../app/trust.ts';
import { sha256Hex } from '../node/sha256.ts';
import type { TrustStore } from '../ports/shared-stores.ts';
import { createEngine } from './engine.ts';
import { type Configured, loadConfigOf } from './open.ts';

export function createTrustDeps({ repoRoot, gitDir }: Pick<Configured, 'repoRoot' | 'gitDir'>): TrustDeps {
  return {
    repoRoot,
    gitDir,
    files: systemFiles,
    loadConfig: () => loadConfigOf(repoRoot),
    detectValidators,
    store: createTrustStore(),
    clock: systemClock,
    env: process.env,
    sha256: sha256Hex,
    isInsideRun: () => findAnswerer().runMark !== null,
    listRuns: async (config) => (await createEngine({ repoRoot, config })).list(),
  };
}

export function createTrustStore(): TrustStore {
  return createTrustFiles(join(stateFolderOf(process.env), 'trust'));
}
