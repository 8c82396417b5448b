import { createHash } from 'node:crypto';
import { readdir, realpath } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { findAnswerer } from '../adapters/process/answerer.ts';
import { readBounded } from '../adapters/project/bounded-file.ts';
import { detectValidators } from '../adapters/project/detect-validators.ts';
import { loadConfig } from '../adapters/project/project-files.ts';
import { stateFolderOf } from '../adapters/system/credential-waits.ts';
import { createTrustFiles } from '../adapters/trust/trust-files.ts';
import type { Opened, OpenTrust, TrustedRepository, TrustWanted } from '../app/services.ts';
import type { ConfigDocument } from '../contracts/config/config.ts';
import type { TrustedPart } from '../contracts/config/trust.ts';
import type { TrustStore } from '../ports/shared-stores.ts';
import { isPathInside } from '../text/paths.ts';
import { type ComparedPart, compareParts, isCovered } from '../trust/compare-parts.ts';
import { configParts } from '../trust/config-parts.ts';
import {
  AGENT_SETTINGS_FILES,
  detectedParts,
  type SettingsFile,
  settingsParts,
  suitePart,
  workflowPart,
  workPart,
} from '../trust/file-parts.ts';
import type { Part } from '../trust/part.ts';
import { checkWorkflow } from '../workflow/check-workflow.ts';
import { limitDefaults } from './known-names.ts';
import { createRecords } from './records.ts';

export interface TrustPlace {
  readonly repoRoot: string;
  /** Identifies the repository; all of its worktrees share it. */
  readonly gitDir: string;
  readonly userFolder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Compares what the repository's files would execute with what the user has approved. */
export async function openTrust(place: TrustPlace, wanted: TrustWanted): Promise<Opened<OpenTrust>> {
  const { repoRoot, userFolder, env } = place;
  const loaded = await loadConfig(repoRoot, userFolder, env);
  if (!loaded.ok)
    return {
      ok: false,
      document: loaded.file,
      obstacle: {
        message: `${loaded.file.name} ${loaded.file.problem}`,
        help: 'correct it; an empty file is valid',
      },
    };
  const { config, repository, user } = loaded;
  const repositoryPath = await realpath(repoRoot);
  const gitDir = await realpath(place.gitDir);
  const store = trustStore(env);
  const own = wanted.workflows.filter(({ path }) => !isPathInside(repositoryPath, path));
  const inside = wanted.workflows.filter((workflow) => !own.includes(workflow));
  const parts = [
    ...(wanted.configuration ? await repositoryParts(repositoryPath, repository, user) : []),
    ...inside.map(({ plan }) => workflowPart(plan)),
    ...(wanted.allWorkflows ? await workflowParts(join(repositoryPath, '.tnh', 'workflows')) : []),
    ...(wanted.work ? [workPart(config.work)] : []),
    ...(wanted.suite === null || !isPathInside(repositoryPath, await realpath(wanted.suite.path))
      ? []
      : [suitePart(relative(repositoryPath, await realpath(wanted.suite.path)), wanted.suite.suite)]),
  ];
  const trusted = await store.find(gitDir);
  const compared = compareParts(parts, trusted, sha256);
  return {
    ok: true,
    value: {
      repository: repositoryPath,
      parts: compared,
      grantedBy: grantOf(config.trusted, repositoryPath, env),
      isInsideRun: () => findAnswerer().runMark !== null,
      hasRunBefore: async () => {
        const runs = await createRecords(repoRoot, config).store.list();
        return runs.some(({ status }) => status !== null && status.outcome !== null);
      },
      say: async (yes) => {
        const ownParts = compareParts(
          own.map(({ plan }) => workflowPart(plan)),
          trusted,
          sha256,
        );
        await addParts(store, gitDir, repositoryPath, [...yes, ...ownParts]);
      },
    },
  };
}

/** Everything that the repository may execute, apart from workflows, work items and suites. */
async function repositoryParts(
  root: string,
  repository: ConfigDocument,
  user: ConfigDocument,
): Promise<readonly Part[]> {
  const configured = Object.keys(repository.validators ?? {});
  return [
    ...configParts(repository, user),
    ...detectedParts(await detectValidators(root), [...configured, ...Object.keys(user.validators ?? {})]),
    ...settingsParts(await readSettings(root)),
  ];
}

async function readSettings(root: string): Promise<readonly SettingsFile[]> {
  const files = await Promise.all(
    AGENT_SETTINGS_FILES.map(async (path) => {
      const bytes = await readBounded(join(root, path)).catch(() => null);
      return bytes === null ? [] : [{ path, sha256: sha256(bytes) }];
    }),
  );
  return files.flat();
}

/** A workflow with errors can't run, so it needs no approval. */
async function workflowParts(folder: string): Promise<readonly Part[]> {
  const names = (await readdir(folder).catch((): string[] => [])).filter((name) => /\.ya?ml$/.test(name));
  const parts = await Promise.all(
    names.sort().map(async (name) => {
      const bytes = await readBounded(join(folder, name)).catch(() => null);
      if (bytes === null) return [];
      const context = { defaults: limitDefaults(null), names: null, inputs: null };
      const { plan } = checkWorkflow({ name, bytes }, context);
      return plan === null ? [] : [workflowPart(plan)];
    }),
  );
  return parts.flat();
}

function grantOf(
  trusted: readonly string[],
  repository: string,
  env: TrustPlace['env'],
): OpenTrust['grantedBy'] {
  if (env.CONDUCTOR_TRUST === '1') return 'environment';
  return isCovered(trusted, repository, env.HOME) ? 'configuration' : null;
}

async function addParts(
  store: TrustStore,
  gitDir: string,
  repository: string,
  parts: readonly ComparedPart[],
): Promise<void> {
  const added = parts
    .filter(({ state }) => state !== 'trusted')
    .map(({ kind, name, text, digest }): TrustedPart => {
      return { repository, kind, name, text, digest, trusted_at: new Date().toISOString() };
    });
  if (added.length > 0) await store.add(gitDir, added);
}

export async function listTrusted(env: TrustPlace['env']): Promise<readonly TrustedRepository[]> {
  const lists = await trustStore(env).list();
  return lists.flatMap((parts) => {
    const last = parts.at(-1);
    return last === undefined ? [] : [{ repository: last.repository, trustedAt: last.trusted_at, parts }];
  });
}

export async function revokeTrust({ gitDir, env }: Pick<TrustPlace, 'gitDir' | 'env'>): Promise<boolean> {
  return trustStore(env).remove(await realpath(gitDir));
}

function trustStore(env: TrustPlace['env']): TrustStore {
  return createTrustFiles(join(stateFolderOf(env), 'trust'));
}

function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}
