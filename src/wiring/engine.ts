import { basename, resolve } from 'node:path';
import { createEmbeddedEngine } from '../adapters/run-store/embedded-engine.ts';
import { systemClock } from '../adapters/system/clock.ts';
import { stateFolderOf } from '../adapters/system/credential-waits.ts';
import { createReportMemory } from '../adapters/system/report-memory.ts';
import type { EngineSide } from '../app/engine/labels.ts';
import { UseCaseError } from '../app/use-case-error.ts';
import type { Config } from '../contracts/config/config.ts';
import type { EngineConfig } from '../contracts/config/engine-config.ts';
import { sha256Hex } from '../node/sha256.ts';
import type { Engine } from '../ports/engine.ts';
import type { Hub } from '../ports/hub.ts';
import type { PolicyFiles } from '../ports/project-files.ts';
import type { CatalogFolders, Configured } from './open.ts';

type EnginePlace = Pick<Configured, 'repoRoot'> & { readonly config: Pick<Config, 'engine' | 'paths'> };

/** The engine that the configuration names. Connects when it is first used. */
export async function createEngine({ repoRoot, config }: EnginePlace): Promise<Engine> {
  const runsDir = resolve(repoRoot, config.paths.runs);
  const onCreated = () => createReportMemory(stateFolderOf(process.env)).addRepository(repoRoot);
  if (config.engine.kind === 'embedded')
    return createEmbeddedEngine({ repoRoot, runsDir, clock: systemClock, onCreated });
  const { createPostgresEngine } = await import('../adapters/engine-postgres/postgres-engine.ts');
  const { createRecordFolders } = await import('../adapters/run-store/record-folder.ts');
  return createPostgresEngine({
    url: readDatabaseUrl(config.engine),
    repository: nameRepository(repoRoot, config.engine),
    blobs: readBlobFolder(config.engine),
    folders: createRecordFolders({ repoRoot, runsDir }),
    clock: systemClock,
    onCreated,
  });
}

const PLACE = 'conductor/config.yaml in your configuration folder';

export function readDatabaseUrl({ url_env: name }: EngineConfig): string {
  const url = process.env[name] ?? '';
  if (url !== '') return url;
  throw new UseCaseError(
    `the engine postgres needs the connection string of its database, and the variable ${name} is not set`,
    `set ${name}, or name another variable with engine.url_env in ${PLACE}`,
  );
}

export function readBlobFolder({ blobs }: EngineConfig): string {
  if (blobs?.startsWith('/') === true) return blobs;
  throw new UseCaseError(
    blobs === null
      ? 'the engine postgres needs a folder for the files of runs, and engine.blobs is not set'
      : `engine.blobs is "${blobs}", which is not the absolute path of a folder`,
    `set engine.blobs in ${PLACE} to a folder that all workers share`,
  );
}

/** All clones name the same hub, but their folders may have any name. A label has no spaces. */
function nameRepository(repoRoot: string, { hub }: EngineConfig): string {
  const name = basename((hub ?? repoRoot).replace(/\/+$/, '')).replace(/\.git$/, '');
  return name.replace(/^.*:/, '').replace(/[\s=]+/g, '-');
}

interface SideRequest {
  readonly repoRoot: string;
  readonly config: Config;
  readonly folders: CatalogFolders;
  readonly policies: PolicyFiles['byRef'];
  readonly hasSandbox: boolean;
}

/** What this repository and this machine are to a queue of runs. */
export async function describeEngineSide(request: SideRequest): Promise<EngineSide> {
  const { repoRoot, config, folders, policies, hasSandbox } = request;
  const { readPrompts } = await import('../adapters/prompts/prompt-files.ts');
  const { formatSharedSettings } = await import('../app/engine/shared-settings.ts');
  const prompts = readPrompts(folders.prompts.slice(0, -1)).byRef;
  return {
    repository: nameRepository(repoRoot, config.engine),
    digest: sha256Hex(formatSharedSettings({ config, policies, prompts })),
    agents: Object.keys(config.agents),
    plannerAgent: config.planner.kind === 'agent' ? config.planner.agent : null,
    hasSandbox,
    requiresSandbox: config.sandbox === 'required',
  };
}

/** Null if no hub is configured. */
export async function openHub(configured: Configured): Promise<Hub | null> {
  const { hub } = configured.config.engine;
  if (hub === null) return null;
  const { createHub } = await import('../adapters/workspace/hub/hub.ts');
  return createHub(configured, hub);
}
