import { join } from 'node:path';
import { createItemRevisions } from '../adapters/git/item-revisions.ts';
import { createSpecFiles } from '../adapters/git/spec-files.ts';
import { detectValidators } from '../adapters/project/detect-validators.ts';
import { createWorkDatabase } from '../adapters/work-local/database.ts';
import { createLocalJournal } from '../adapters/work-local/journal.ts';
import { createLocalProvider } from '../adapters/work-local/local-provider.ts';
import { createPipeline } from '../adapters/work-local/pipeline.ts';
import type { Config } from '../contracts/config.ts';
import { outerMarksOf } from '../contracts/process-mark.ts';
import type { Revisions } from '../ports/revisions.ts';
import type { SpecFolder } from '../ports/spec-folder.ts';
import type { RunnableValidator } from '../ports/validator.ts';
import type { WorkJournal } from '../ports/work-journal.ts';
import type { WorkProvider } from '../ports/work-provider.ts';
import type { RunDeps } from '../runtime/run-context.ts';
import { durationOf } from './known-names.ts';

interface LocalWorkRequest {
  readonly repoRoot: string;
  readonly config: Config;
  /** Of the opened project: checks of revisions are run as the validators of runs are. */
  readonly deps: Pick<RunDeps, 'clock' | 'validators' | 'project' | 'sweep'>;
}

export interface LocalWork {
  readonly provider: WorkProvider;
  readonly journal: WorkJournal;
  readonly specs: SpecFolder;
  /** Also says what the default branch is. */
  readonly revisions: Revisions;
}

/** Work items of this repository on this machine. Nothing is made before the first write. */
export function openLocalWork({ repoRoot, config, deps }: LocalWorkRequest): LocalWork {
  const workDir = join(repoRoot, '.tnh', 'work');
  const file = join(workDir, 'items.db');
  const withinStep = Object.keys(outerMarksOf(process.env)).length > 0;
  const revisions = createItemRevisions({ repoRoot, withinStep, branch: config.work.branch });
  const { project, validators, clock, sweep } = deps;
  return {
    provider: createLocalProvider({
      database: createWorkDatabase(file),
      revisions,
      check: createPipeline({
        repoRoot,
        workDir,
        revisions,
        runner: validators,
        validators: (checkout) => checksIn(checkout, config, project.validator),
        enclose: async ({ worktreePath, runDir }, harnessDir) =>
          (await project.enclosure?.({
            runner: 'validator',
            policies: [],
            worktreePath,
            runDir,
            harnessDir,
          })) ?? { confinement: null, refusal: null },
        env: project.environment,
        entrypoints: project.entrypoints,
        timeoutMs: durationOf(config.limits.timeout),
        idleTimeoutMs: durationOf(config.limits.idle_timeout),
        sweep,
      }),
    }),
    journal: createLocalJournal({ database: createWorkDatabase(file), clock }),
    specs: createSpecFiles({ repoRoot, globs: config.work.specs, branch: config.work.branch }),
    revisions,
  };
}

/** All that the configuration names; where it names none, what is found in the checkout itself. */
async function checksIn(
  checkout: string,
  config: Config,
  configured: (name: string) => RunnableValidator | null,
): Promise<readonly RunnableValidator[]> {
  const names = Object.keys(config.validators);
  if (names.length > 0) return names.flatMap((name) => configured(name) ?? []);
  const none = { artifacts: [], timeoutMs: null, report: null, retries: null };
  return (await detectValidators(checkout)).map(({ name, command }) => ({
    kind: 'command',
    id: name,
    command,
    ...none,
  }));
}
