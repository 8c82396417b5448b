import { dirname, join } from 'node:path';
import { detectValidators } from '../adapters/project/detect-validators.ts';
import { createWorkDatabase } from '../adapters/work-local/database.ts';
import { createLocalJournal } from '../adapters/work-local/journal.ts';
import { createLocalProvider } from '../adapters/work-local/local-provider.ts';
import { createPipeline } from '../adapters/work-local/pipeline.ts';
import { createItemRevisions } from '../adapters/workspace/items/item-revisions.ts';
import { createSpecFiles } from '../adapters/workspace/items/spec-files.ts';
import type { Config } from '../contracts/config/config.ts';
import type { Pipeline, Revision } from '../contracts/work/work-item.ts';
import type { RunnableValidator, ValidatorPlace } from '../ports/validator.ts';
import type { Revisions } from '../ports/work/revisions.ts';
import type { SpecFolder } from '../ports/work/spec-folder.ts';
import type { WorkJournal } from '../ports/work/work-journal.ts';
import type { WorkProvider } from '../ports/work/work-provider.ts';
import type { RunDeps } from '../runtime/run-context.ts';
import { toMilliseconds } from '../workflow/config/limit-defaults.ts';
import type { Configured } from './open.ts';

/** The database of work items, relative to the repository. */
export const WORK_DATABASE = '.tnh/work/items.db';

export interface LocalWorkRequest extends Configured {
  /** From the opened project: checks of revisions run with the same settings as validators of runs. */
  readonly deps: Pick<RunDeps, 'clock' | 'validators' | 'project' | 'sweep' | 'setup'>;
}

export interface LocalWork {
  readonly provider: WorkProvider;
  readonly journal: WorkJournal;
  readonly specs: SpecFolder;
  /** Also knows the default branch. */
  readonly revisions: Revisions;
}

/**
 * The work items of this repository on this machine. Creates no file before the first write. `check` replaces the checks of
 * revisions on this machine.
 */
export function openLocalWork(
  { deps, ...configured }: LocalWorkRequest,
  check?: (revision: Revision, signal: AbortSignal) => Promise<Pipeline | null>,
): LocalWork {
  const { repoRoot, config } = configured;
  const file = join(repoRoot, WORK_DATABASE);
  const workDir = dirname(file);
  const ownedPaths = deps.setup?.ownedPaths ?? [];
  const revisions = createItemRevisions({ ...configured, branch: config.work.branch, ownedPaths });
  const { project, validators, clock, sweep } = deps;
  return {
    provider: createLocalProvider({
      database: createWorkDatabase(file),
      revisions,
      check:
        check ??
        createPipeline({
          repoRoot,
          workDir,
          revisions,
          runner: validators,
          prepare: (place, mark, signal) => prepareChecks(configured, deps, place, mark, signal),
          validators: (checkout) => findChecks(checkout, config, project.validator),
          confine: async ({ checkoutPath, runDir }, harnessDir) =>
            (await project.sandbox?.({
              runner: 'validator',
              policies: [],
              checkoutPath,
              runDir,
              harnessDir,
            })) ?? { confinement: null, refusal: null },
          env: project.environment,
          entrypoints: project.entrypoints,
          timeoutMs: toMilliseconds(config.limits.timeout),
          idleTimeoutMs: toMilliseconds(config.limits.idle_timeout),
          sweep,
        }),
    }),
    journal: createLocalJournal({ database: createWorkDatabase(file), clock }),
    specs: createSpecFiles({ repoRoot, globs: config.work.specs, branch: config.work.branch }),
    revisions,
  };
}

/** Sets up a checkout for checks in the same way as a run's checkout. */
async function prepareChecks(
  { repoRoot, workspacesDir }: Configured,
  { setup, project }: LocalWorkRequest['deps'],
  place: ValidatorPlace,
  mark: string,
  signal: AbortSignal,
): Promise<string | null> {
  // A revision may install other packages than the base, so its setup runs in the sandbox, with network.
  const pipelineSandbox = await project.sandbox?.({
    runner: 'validator',
    policies: [],
    checkoutPath: place.checkoutPath,
    runDir: place.runDir,
    harnessDir: `${place.runDir}/harness`,
  });
  const confinement = pipelineSandbox?.confinement ?? null;
  const result = await setup?.prepare({
    checkout: place.checkoutPath,
    otherCheckouts: [repoRoot, ...(project.checkouts ?? []), workspacesDir],
    stateDir: `${dirname(place.checkoutPath)}/setup`,
    isChanged: true,
    evidenceDir: `${place.runDir}/setup`,
    confinement: confinement === null ? null : { ...confinement, network: 'allow' },
    env: project.environment,
    mark,
    signal,
    onLine: () => undefined,
  });
  return result === undefined || result.ok ? null : result.reason;
}

/** The configured validators; if there are none, those detected in the checkout. */
async function findChecks(
  checkout: string,
  config: Config,
  configured: (name: string) => RunnableValidator | null,
): Promise<readonly RunnableValidator[]> {
  const names = Object.keys(config.validators);
  if (names.length > 0) return names.flatMap((name) => configured(name) ?? []);
  const none = { artifacts: [], timeoutMs: null, retries: null };
  return (await detectValidators(checkout)).map(({ name, command, report = null }) => ({
    kind: 'command',
    id: name,
    command,
    report,
    ...none,
  }));
}
