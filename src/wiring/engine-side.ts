import { readPrompts } from '../adapters/prompts/prompt-files.ts';
import type { EngineSide } from '../app/engine/labels.ts';
import { formatSharedSettings } from '../app/engine/shared-settings.ts';
import type { Config } from '../contracts/config/config.ts';
import { sha256Hex } from '../node/sha256.ts';
import type { PolicyFiles } from '../ports/project-files.ts';
import { nameRepository } from './engine.ts';
import type { CatalogFolders } from './open.ts';

interface SideRequest {
  readonly repoRoot: string;
  readonly config: Config;
  readonly folders: CatalogFolders;
  readonly policies: PolicyFiles['byRef'];
  readonly hasSandbox: boolean;
}

/** What this repository and this machine are to a queue of runs. */
export function describeEngineSide(request: SideRequest): EngineSide {
  const { repoRoot, config, folders, policies, hasSandbox } = request;
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
