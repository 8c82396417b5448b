import { dirname, join } from 'node:path';
import type { Forge } from '../ports/forge/forge.ts';
import type { WorkProvider } from '../ports/work/work-provider.ts';
import { type LocalWork, type LocalWorkRequest, openLocalWork, WORK_DATABASE } from './work-local.ts';

/** Beside the database: what the forge shows, and what was begun there. */
const MEMORY_FILE = 'github.json';
const WRITES_FILE = 'github-writes.ndjson';

/** The work items of this repository where the configuration says. */
export function openWorkItems(request: LocalWorkRequest): LocalWork {
  return request.config.work.provider === 'github' ? openGitHubWork(request) : openLocalWork(request);
}

/** The local work items, shown on GitHub. Nothing of the forge is loaded before the first call. */
function openGitHubWork(request: LocalWorkRequest): LocalWork {
  const { deps, repoRoot, config } = request;
  const { clock, project } = deps;
  const folder = dirname(join(repoRoot, WORK_DATABASE));
  let connected: Promise<Forge> | null = null;
  const connect = (): Promise<Forge> => {
    if (project.forge === undefined) throw new Error('the project has no forge');
    connected ??= project.forge.open({ isForPerson: false, signal: new AbortController().signal });
    return connected;
  };
  const memoryFile = async () => {
    const { createMemoryFile } = await import('../adapters/work-github/memory.ts');
    return createMemoryFile(join(folder, MEMORY_FILE));
  };
  const work = openLocalWork(request, async (revision) => {
    const { readRevisionPipeline } = await import('../adapters/work-github/revision-checks.ts');
    return readRevisionPipeline({ forge: await connect(), memory: await memoryFile(), clock }, revision);
  });
  const provider = createLazyProvider(async () => {
    const { createGitHubProvider } = await import('../adapters/work-github/github-provider.ts');
    const { createIntentFile } = await import('../adapters/forge/intent-journal.ts');
    const { createItemBranches } = await import('../adapters/workspace/items/item-branches.ts');
    const opened = await connect();
    return createGitHubProvider({
      local: work.provider,
      memory: await memoryFile(),
      intents: createIntentFile(join(folder, WRITES_FILE), clock.now),
      forge: opened,
      branches: createItemBranches({ repoRoot, branch: config.work.branch, forge: opened }),
      clock,
    });
  }, work.provider.close);
  return { ...work, provider };
}

/** Opens the provider with the first call. A provider that can't be opened is tried again with the next one. */
function createLazyProvider(open: () => Promise<WorkProvider>, close: () => Promise<void>): WorkProvider {
  let opened: Promise<WorkProvider> | null = null;
  const provider = (): Promise<WorkProvider> => {
    opened ??= open().catch((error: unknown) => {
      opened = null;
      throw error;
    });
    return opened;
  };
  return {
    read: async () => (await provider()).read(),
    write: async (key, writes) => (await provider()).write(key, writes),
    makeRevision: async (key, request) => (await provider()).makeRevision(key, request),
    merge: async (key, request) => (await provider()).merge(key, request),
    settle: async (signal) => (await provider()).settle(signal),
    setUpLabels: async (labels) => (await provider()).setUpLabels(labels),
    answer: async (key, answer) => (await provider()).answer(key, answer),
    close,
  };
}
