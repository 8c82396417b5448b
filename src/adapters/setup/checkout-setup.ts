import { join, resolve } from 'node:path';
import type { SetupConfig } from '../../contracts/config/setup-config.ts';
import type { ResolveProgram } from '../../ports/supervisor.ts';
import type { CheckoutSetup, SetupCommand, SetupRequest, SetupResult } from '../../ports/workspace/setup.ts';
import { describeForeign } from '../../setup/foreign.ts';
import { findOutsidePaths, type OutsidePath } from '../../setup/outside-paths.ts';
import { normalizePattern } from '../../setup/owned-paths.ts';
import { messageOf } from '../../text/error-message.ts';
import { type CacheEntry, entryTree, readEntry } from './cache-entry.ts';
import { readStamps, removeStamps, writeStamps } from './checkout-stamps.ts';
import { changedInput, findCopiedInputs } from './copied-inputs.ts';
import { type Installed, scanCheckout } from './foreign-scan.ts';
import { createPortRegistry } from './port-registry.ts';
import { createProgramVersions } from './program-version.ts';
import { createPythonSites } from './python-sites.ts';
import { restoreTree } from './restore-tree.ts';
import { type CommandDeps, runCommands } from './run-commands.ts';
import { createSetupCache, type SetupCache } from './setup-cache.ts';
import { computeSetupDigest, keyFilesOf } from './setup-digest.ts';
import { expandPatterns, findLinkInPath } from './setup-paths.ts';
import { readTopFiles } from './top-files.ts';
import {
  ChangedTreeError,
  copyTree,
  createPauses,
  listTree,
  type Pauses,
  removeTree,
  replaceByCopy,
} from './tree.ts';
import { copyUserFiles, removeOwned, trackedAmong } from './user-files.ts';

export interface CheckoutSetupDeps extends CommandDeps {
  /** Null if nothing has to be prepared. */
  readonly setup: SetupConfig | null;
  /** Timeout of all commands together. */
  readonly timeoutMs: number;
  /** The user's checkout, where the files of `copy` come from. */
  readonly repoRoot: string;
  /** The folder that keeps results for later runs: `setup` in the folder of the repository's workspaces. */
  readonly cacheFolder: string;
  /** The folder in which ports are reserved: one for all repositories of a user. */
  readonly portsFolder: string;
  readonly resolveProgram: ResolveProgram;
  /** The programs that the commands of validators start. */
  readonly checkPrograms?: readonly string[];
}

export function createCheckoutSetup(deps: CheckoutSetupDeps): CheckoutSetup {
  const { setup } = deps;
  const versions = createProgramVersions(deps.resolveProgram);
  const pythonSites = createPythonSites(deps.resolveProgram, deps.checkPrograms ?? []);
  const ports = createPortRegistry(deps.portsFolder);
  const scan: CheckoutSetup['scan'] = async (request) =>
    (await scanCheckout(pythonSites, { ...request, signal: null })).foreign;
  const createPreparation = (request: SetupRequest, config: SetupConfig): Preparation => ({
    ...deps,
    setup: config,
    request,
    pauses: createPauses(request.signal),
    cache: createSetupCache(deps.cacheFolder),
    digest: () => computeSetupDigest({ setup: config, versions }, request.checkout, request.env),
    scan: () => scanCheckout(pythonSites, request),
  });
  const runGuarded = async (
    request: SetupRequest,
    act: (preparation: Preparation) => Promise<SetupResult>,
  ): Promise<SetupResult> => {
    try {
      const outside = findOutsidePaths(await readTopFiles(request.checkout));
      if (outside.length > 0) return outsideResult(outside, request.checkout);
      if (setup !== null) return await act(createPreparation(request, setup));
      const scanned = await scanCheckout(pythonSites, request);
      return scanned.foreign.length > 0
        ? foreignResult(scanned.foreign, [], [])
        : success(null, false, [], []);
    } catch (error) {
      if (request.signal.aborted) return { ...failure('setup was cancelled', [], []), cancelled: true };
      throw error;
    }
  };
  return {
    isConfigured: setup !== null,
    commands: setup?.run ?? [],
    digest: ({ checkout, env }) =>
      setup === null ? Promise.resolve(null) : computeSetupDigest({ setup, versions }, checkout, env),
    keyFiles: (checkout) => (setup === null ? Promise.resolve(new Map()) : keyFilesOf(setup, checkout)),
    prepare: (request) => runGuarded(request, prepare),
    restore: (request) => runGuarded(request, restore),
    scan,
    reservePorts: ({ runId, workspace }) =>
      setup === null || setup.ports === 0
        ? Promise.resolve(null)
        : ports.reserve({ runId, workspace, count: setup.ports }),
    releasePorts: ports.release,
    ownedPaths: setup === null ? [] : [...(setup.cache?.paths ?? []), ...setup.copy].map(normalizePattern),
  };
}

interface Preparation extends Omit<CheckoutSetupDeps, 'setup'> {
  readonly setup: SetupConfig;
  readonly request: SetupRequest;
  readonly pauses: Pauses;
  readonly cache: SetupCache;
  readonly digest: () => Promise<string>;
  readonly scan: () => ReturnType<typeof scanCheckout>;
}

type Failure = Extract<SetupResult, { ok: false }>;

async function prepare(preparation: Preparation): Promise<SetupResult> {
  const { setup, request, pauses, cache } = preparation;
  const obstacle = await clearPaths(preparation);
  if (obstacle !== null) return failure(obstacle, [], []);
  const missing = await copyUserFiles(preparation.repoRoot, request.checkout, setup.copy, pauses);
  if (missing !== null) return failure(missing, [], []);
  const digest = await preparation.digest();
  const notes: string[] = [];
  if (setup.cache === null) return runSetup(preparation, digest, notes);
  const reused = await takeFromCache(preparation, digest, notes);
  if (reused !== null) return reused;
  // A result for changed files is only for this run, so there is no other process to wait for.
  if (request.isChanged) return runSetup(preparation, digest, notes);
  return cache.exclusively(digest, request.signal, async () => {
    const made = await takeFromCache(preparation, digest, notes);
    return made ?? runSetup(preparation, digest, notes);
  });
}

async function clearPaths({ setup, request, pauses }: Preparation): Promise<string | null> {
  await removeStamps(request);
  const paths = setup.cache?.paths ?? [];
  const [tracked] = await trackedAmong(request.checkout, [...paths, ...setup.copy]);
  if (tracked !== undefined)
    return `setup: git tracks files in ${tracked}, but \`cache.paths\` and \`copy\` are for files that git ignores`;
  return removeOwned(request.checkout, paths, pauses);
}

/** Null if no stored result fits. */
async function takeFromCache(
  preparation: Preparation,
  digest: string,
  notes: string[],
): Promise<SetupResult | null> {
  const { request, cache, pauses } = preparation;
  const { checkout } = request;
  for (const entry of await cache.find({ ...request, digest })) {
    const changed = await changedInput(checkout, entry.inputs);
    if (changed !== null) {
      const note = `setup runs again: ${changed} changed, and it is installed as a copy`;
      if (!notes.includes(note)) notes.push(note);
      continue;
    }
    for (const top of entry.tops) {
      const link = await findLinkInPath(checkout, top);
      if (link !== null) return failure(`setup.cache: ${top} leads through the link ${link}`, [], notes);
    }
    try {
      const from = entryTree(entry.folder);
      await copyTree({ from, to: checkout, entries: entry.tree, verify: true, pauses });
    } catch (error) {
      if (!(error instanceof ChangedTreeError)) throw error;
      notes.push(`setup runs again: the stored result was changed: ${error.message}`);
      for (const top of entry.tops) await removeTree(join(checkout, top), pauses);
      await cache.discard(entry);
      continue;
    }
    await recordStamps(preparation, entry);
    return finish(preparation, digest, true, [], notes);
  }
  return null;
}

async function recordStamps({ request, pauses }: Preparation, entry: CacheEntry): Promise<void> {
  const tree = await listTree(request.checkout, entry.tops, pauses);
  const { digest, folder, id } = entry;
  await writeStamps(request, { digest, entryFolder: folder, entryId: id, tree });
}

async function runSetup(
  preparation: Preparation,
  digest: string,
  notes: readonly string[],
): Promise<SetupResult> {
  const { setup, request } = preparation;
  const ran = await runCommands(preparation, setup.run, preparation.timeoutMs, request);
  if (!ran.ok) {
    const failed = failure(ran.reason, ran.commands, notes);
    return { ...failed, exitCode: ran.exitCode, cancelled: ran.cancelled };
  }
  const scanned = await preparation.scan();
  if (scanned.foreign.length > 0) return foreignResult(scanned.foreign, ran.commands, notes);
  const stored = await storeResult(preparation, digest, scanned.installed);
  return success(digest, false, ran.commands, [...notes, ...stored]);
}

/** Stores the result and returns notes. A result that can't be stored must not end the run. */
async function storeResult(
  preparation: Preparation,
  digest: string,
  installed: readonly Installed[],
): Promise<string[]> {
  const { setup, request, cache, pauses } = preparation;
  const { checkout, isChanged } = request;
  if (setup.cache === null) return [];
  try {
    const tops = await expandPatterns(checkout, setup.cache.paths);
    if (tops.length === 0)
      return [`nothing to cache: the commands made none of ${setup.cache.paths.join(', ')}`];
    const inputs = await findCopiedInputs(checkout, installed);
    const stored = await cache.store({ ...request, digest, tops, inputs, isShared: !isChanged, pauses });
    // Replace shared files by copies: an agent that writes to such a file would change the package manager's store, and
    // so every later install.
    for (const path of stored.shared) {
      const { mode } = stored.entry.tree.get(path) ?? { mode: 0o644 };
      replaceByCopy(join(entryTree(stored.entry.folder), path), join(checkout, path), mode);
      if (pauses.isDue()) await pauses.take();
    }
    await recordStamps(preparation, stored.entry);
    return stored.boundBy === null
      ? []
      : [`not kept for other checkouts: ${stored.boundBy} contains the path of this one`];
  } catch (error) {
    if (request.signal.aborted) throw error;
    return [`the result of setup could not be kept: ${messageOf(error)}`];
  }
}

async function restore(preparation: Preparation): Promise<SetupResult> {
  const { setup, request, pauses } = preparation;
  const { checkout } = request;
  const stamps = setup.cache === null ? null : await readStamps(request);
  const entry = stamps === null ? null : await readEntry(stamps.entryFolder);
  if (stamps === null || entry === null || entry.id !== stamps.entryId) return prepare(preparation);
  const digest = await preparation.digest();
  if (digest !== stamps.digest || (await changedInput(checkout, entry.inputs)) !== null)
    return prepare(preparation);
  const present = await expandPatterns(checkout, setup.cache?.paths ?? []);
  for (const top of new Set([...present, ...entry.tops])) {
    const link = await findLinkInPath(checkout, top);
    if (link !== null) return failure(`setup.cache: ${top} leads through the link ${link}`, [], []);
  }
  try {
    const renewed = await restoreTree({ checkout, entry, stamps: stamps.tree, tops: present, pauses });
    if (renewed !== null) await writeStamps(request, { ...stamps, tree: renewed });
  } catch (error) {
    if (!(error instanceof ChangedTreeError)) throw error;
    await preparation.cache.discard(entry);
    return prepare(preparation);
  }
  const missing = await copyUserFiles(preparation.repoRoot, checkout, setup.copy, pauses);
  return missing === null ? finish(preparation, digest, true, [], []) : failure(missing, [], []);
}

async function finish(
  preparation: Preparation,
  digest: string,
  cacheHit: boolean,
  commands: readonly SetupCommand[],
  notes: readonly string[],
): Promise<SetupResult> {
  const { foreign } = await preparation.scan();
  return foreign.length > 0
    ? foreignResult(foreign, commands, notes)
    : success(digest, cacheHit, commands, notes);
}

function success(
  digest: string | null,
  cacheHit: boolean,
  commands: readonly SetupCommand[],
  notes: readonly string[],
): SetupResult {
  return { ok: true, digest, cacheHit, commands, notes };
}

function failure(reason: string, commands: readonly SetupCommand[], notes: readonly string[]): Failure {
  return { ok: false, reason, commands, notes, foreign: [], exitCode: null, cancelled: false };
}

function outsideResult(outside: readonly OutsidePath[], checkout: string): Failure {
  const reason = [
    'setup: a run has only the files of the repository, and these dependencies are outside it:',
    ...outside.map(({ file, path }) => `  ${path} (${file})`),
    'move them into the repository, or depend on published versions',
  ].join('\n');
  const foreign = outside.map(({ file, path }) => ({
    source: file,
    target: resolve(checkout, path),
    reason: 'it is outside the repository',
  }));
  return { ...failure(reason, [], []), foreign };
}

const NAMED_FOREIGN = 10;

function foreignResult(
  foreign: Failure['foreign'],
  commands: readonly SetupCommand[],
  notes: readonly string[],
): Failure {
  const named = foreign.slice(0, NAMED_FOREIGN).map((each) => `  ${describeForeign(each)}`);
  const more = foreign.length > named.length ? [`  and ${foreign.length - named.length} more`] : [];
  const reason = [
    'dependencies resolve outside this checkout, so tests would not run the code that is under test:',
    ...named,
    ...more,
  ].join('\n');
  return { ...failure(reason, commands, notes), foreign };
}
