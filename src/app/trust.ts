import { join, relative } from 'node:path';
import type { Config, ConfigDocument } from '../contracts/config/config.ts';
import type { DetectedValidator } from '../contracts/config/detected-validator.ts';
import type { TrustedPart } from '../contracts/config/trust.ts';
import type { HarnessSuite } from '../contracts/documents/harness-suite.ts';
import type { Plan } from '../kernel/plan.ts';
import type { Clock } from '../ports/clock.ts';
import type { Files, LoadedConfig } from '../ports/project-files.ts';
import type { RunListing } from '../ports/run-store.ts';
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
import { limitDefaults } from '../workflow/config/limit-defaults.ts';
import { type Opened, refuseConfig } from './opened.ts';

/** What a command is about to execute. */
export interface TrustRequest {
  /**
   * The configuration, and what conductor detects in the repository. `notify`: only its notification targets, unless a
   * target is a command, which could be a program of the repository.
   */
  readonly configuration: boolean | 'notify';
  readonly workflows: readonly { readonly plan: Plan; readonly path: string }[];
  /** Also every workflow in `.tnh/workflows`. */
  readonly allWorkflows: boolean;
  readonly work: boolean;
  readonly suite: { readonly path: string; readonly suite: HarnessSuite } | null;
}

/** What commands that execute only the configuration ask for. */
export const TRUST_CONFIGURATION: TrustRequest = {
  configuration: true,
  workflows: [],
  allWorkflows: false,
  work: false,
  suite: null,
};

export interface TrustDeps {
  readonly repoRoot: string;
  /** Identifies the repository; all of its worktrees share it. */
  readonly gitDir: string;
  readonly files: Files;
  readonly loadConfig: () => Promise<LoadedConfig>;
  readonly detectValidators: (root: string) => Promise<readonly DetectedValidator[]>;
  readonly store: TrustStore;
  readonly clock: Clock;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly sha256: (content: string | Uint8Array) => string;
  /** Whether this process or one of its ancestors was started by a run. */
  readonly isInsideRun: () => boolean;
  readonly listRuns: (config: Config) => Promise<readonly RunListing[]>;
}

export interface OpenTrust {
  /** The top folder of the checkout, without symbolic links. */
  readonly repository: string;
  readonly parts: readonly ComparedPart[];
  /** What grants trust without a question; null if the user has to approve. */
  readonly grantedBy: 'environment' | 'configuration' | null;
  /** Whether this process belongs to a run, which can't approve for the user. */
  readonly isInsideRun: () => boolean;
  /** Whether a run of this repository has ended before. */
  readonly hasRunBefore: () => Promise<boolean>;
  /** Records the user's approval of these parts, and of the user's own workflows that the command names. */
  readonly approve: (parts: readonly ComparedPart[]) => Promise<void>;
}

/** Compares what the repository's files would execute with what the user has approved. */
export async function openTrust(deps: TrustDeps, wanted: TrustRequest): Promise<Opened<OpenTrust>> {
  const { files, store, env, sha256 } = deps;
  const loaded = await deps.loadConfig();
  if (!loaded.ok) return refuseConfig(loaded.file);
  const { config, repository, user } = loaded;
  const root = await files.realPath(deps.repoRoot);
  const gitDir = await files.realPath(deps.gitDir);
  const { inside, own } = await splitWorkflows(files, root, wanted.workflows);
  const readConfigurationParts = async () => {
    if (wanted.configuration === false) return [];
    const isSending =
      wanted.configuration === 'notify' && config.notify.every(({ kind }) => kind !== 'command');
    return isSending
      ? configParts(repository, user).filter(({ kind }) => kind === 'notify')
      : readRepositoryParts(deps, root, repository, user);
  };
  const parts = [
    ...(await readConfigurationParts()),
    ...inside.map(workflowPart),
    ...(wanted.allWorkflows ? await readWorkflowParts(files, join(root, '.tnh', 'workflows')) : []),
    ...(wanted.work ? [workPart(config.work)] : []),
    ...(wanted.suite === null ? [] : await readSuiteParts(files, root, wanted.suite)),
  ];
  const trusted = await store.find(gitDir);
  return {
    ok: true,
    value: {
      repository: root,
      parts: compareParts(parts, trusted, sha256),
      grantedBy: findGrant(config.trusted, root, env),
      isInsideRun: deps.isInsideRun,
      hasRunBefore: async () => {
        const runs = await deps.listRuns(config);
        return runs.some(({ status }) => status !== null && status.outcome !== null);
      },
      approve: async (approved) => {
        const ownParts = compareParts(own.map(workflowPart), trusted, sha256);
        await addParts(deps, gitDir, root, [...approved, ...ownParts]);
      },
    },
  };
}

/** The parts that the user has not approved yet; empty if trust is granted without a question. */
export function findUntrustedParts({ parts, grantedBy }: OpenTrust): readonly ComparedPart[] {
  return grantedBy === null ? parts.filter(({ state }) => state !== 'trusted') : [];
}

/** For a message: `setup, agent codex`. */
export function listParts(parts: readonly ComparedPart[]): string {
  return parts.map(({ kind, name }) => (kind === name ? kind : `${kind} ${name}`)).join(', ');
}

/** Workflows in the repository need trust; those elsewhere are the user's own. */
async function splitWorkflows(
  files: Files,
  root: string,
  workflows: TrustRequest['workflows'],
): Promise<{ readonly inside: readonly Plan[]; readonly own: readonly Plan[] }> {
  const inside: Plan[] = [];
  const own: Plan[] = [];
  for (const { plan, path } of workflows)
    (isPathInside(root, await files.realPath(path)) ? inside : own).push(plan);
  return { inside, own };
}

/** Everything that the repository may execute, apart from workflows, work items and suites. */
async function readRepositoryParts(
  { files, detectValidators, sha256 }: TrustDeps,
  root: string,
  repository: ConfigDocument,
  user: ConfigDocument,
): Promise<readonly Part[]> {
  const configured = [...Object.keys(repository.validators ?? {}), ...Object.keys(user.validators ?? {})];
  const settings = await Promise.all(
    AGENT_SETTINGS_FILES.map(async (path): Promise<SettingsFile[]> => {
      const bytes = await files.read(join(root, path));
      return bytes === null ? [] : [{ path, sha256: sha256(bytes) }];
    }),
  );
  return [
    ...configParts(repository, user),
    ...detectedParts(await detectValidators(root), configured),
    ...settingsParts(settings.flat()),
  ];
}

/** A workflow with errors can't run, so it needs no approval. */
async function readWorkflowParts(files: Files, folder: string): Promise<readonly Part[]> {
  const names = (await files.list(folder)).filter((name) => /\.ya?ml$/.test(name));
  const context = { defaults: limitDefaults(null), names: null, inputs: null };
  const parts = await Promise.all(
    names.sort().map(async (name) => {
      const bytes = await files.read(join(folder, name));
      const plan = bytes === null ? null : checkWorkflow({ name, bytes }, context).plan;
      return plan === null ? [] : [workflowPart(plan)];
    }),
  );
  return parts.flat();
}

async function readSuiteParts(
  files: Files,
  root: string,
  { path, suite }: NonNullable<TrustRequest['suite']>,
): Promise<readonly Part[]> {
  const real = await files.realPath(path);
  return isPathInside(root, real) ? [suitePart(relative(root, real), suite)] : [];
}

function findGrant(
  trusted: readonly string[],
  repository: string,
  env: TrustDeps['env'],
): OpenTrust['grantedBy'] {
  if (env.CONDUCTOR_TRUST === '1') return 'environment';
  return isCovered(trusted, repository, env.HOME) ? 'configuration' : null;
}

async function addParts(
  { store, clock }: TrustDeps,
  gitDir: string,
  repository: string,
  parts: readonly ComparedPart[],
): Promise<void> {
  const added = parts
    .filter(({ state }) => state !== 'trusted')
    .map(({ kind, name, text, digest }): TrustedPart => {
      return { repository, kind, name, text, digest, trusted_at: clock.now().toISOString() };
    });
  if (added.length > 0) await store.add(gitDir, added);
}

export interface TrustedRepository {
  readonly repository: string;
  /** When the last part was added. */
  readonly trustedAt: string;
  readonly parts: readonly TrustedPart[];
}

export async function listTrusted(store: TrustStore): Promise<readonly TrustedRepository[]> {
  const lists = await store.list();
  return lists.flatMap((parts) => {
    const last = parts.at(-1);
    return last === undefined ? [] : [{ repository: last.repository, trustedAt: last.trusted_at, parts }];
  });
}
