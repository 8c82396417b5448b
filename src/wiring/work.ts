import { basename, dirname, resolve } from 'node:path';
import { createPrograms } from '../adapters/programs/compare-programs.ts';
import { createDiskSpace } from '../adapters/upkeep/disk-usage.ts';
import { createScopeSources } from '../adapters/workspace/items/scope-sources.ts';
import type { OpenProject } from '../app/opened.ts';
import type { OpenWork, WorkOptions } from '../app/work/opened-work.ts';
import { sha256Hex } from '../node/sha256.ts';
import { maskSecrets } from '../policy/secrets/secrets.ts';
import { createPatchClassifier } from '../runtime/evidence/classify-patch.ts';
import type { RunDeps } from '../runtime/run-context.ts';
import { createWorkEngine } from '../runtime/work/create-work-engine.ts';
import type { QuestionTargets } from '../runtime/work/question-notifications.ts';
import { readBody } from '../work/bodies/body.ts';
import { LABELS, readPlannedLabels } from '../work/items/labels.ts';
import { checkImplementorResult } from '../work/results/implementor-result.ts';
import { toExistingItem } from '../work/results/planned-ids.ts';
import { checkPlannerResult } from '../work/results/planner-result.ts';
import type { Checked } from '../work/results/problem-codes.ts';
import { checkReviewerResult } from '../work/results/reviewer-result.ts';
import type { RoleChecks } from '../work/results/role-result.ts';
import type { Configured } from './open.ts';
import { openWorkItems } from './work-github.ts';
import { WORK_DATABASE } from './work-local.ts';
import { createWorkRoles } from './work-roles.ts';

interface WorkRequest extends Configured {
  readonly project: OpenProject;
  readonly options: WorkOptions;
}

/** The work item engine, with the configured provider and this repository's runs. */
export function assembleWork({ project, options, ...configured }: WorkRequest): OpenWork {
  const { repoRoot, workspacesDir, config } = configured;
  const { deps, ids, clock } = project;
  const local = openWorkItems({ ...configured, deps });
  const jobs = options.jobs ?? config.work.jobs;
  const runner = createWorkRoles({
    project,
    work: config.work,
    checks: CHECKS,
    classifyPatch: createPatchClassifier({
      openSources: (base) => createScopeSources(repoRoot, base),
      programs: createPrograms(),
    }),
    ...(options.observe === undefined ? {} : { observe: options.observe }),
  });
  return {
    ...project,
    jobs,
    maxRounds: config.work.max_rounds,
    engine: createWorkEngine({
      journal: local.journal,
      provider: local.provider,
      specs: local.specs,
      runner,
      clock,
      disk: createDiskSpace([
        dirname(resolve(repoRoot, WORK_DATABASE)),
        resolve(repoRoot, config.paths.runs),
        workspacesDir,
      ]),
      notify: describeTargets(repoRoot, deps),
      newKey: ids.newRunId,
      slots: jobs,
      maxRounds: config.work.max_rounds,
      scopeOf: (body) => readBody(body).inScope.map(({ path }) => path),
      readLabels: readPlannedLabels,
      checkPlan: (result, { items }) => CHECKS.planner(result, [...items.values()]),
    }),
    checkResult: runner.checkResult,
    sha256: sha256Hex,
    history: () => local.journal.read(0),
    readSpecs: local.specs.read,
    specPlace: async () => ({
      branch: (await local.revisions.defaultBranch())?.name ?? null,
      named: config.work.branch,
      globs: config.work.specs,
    }),
    setUpLabels: () => local.provider.setUpLabels(LABELS),
    close: async () => {
      await local.journal.close();
      await local.provider.close();
    },
  };
}

function describeTargets(repoRoot: string, { project, chance }: RunDeps): QuestionTargets | null {
  const { notify, secrets = [] } = project;
  if (notify === null) return null;
  return {
    notifier: notify,
    chance: chance ?? Math.random,
    repository: basename(repoRoot),
    mask: (text) => maskSecrets(text, secrets),
  };
}

const CHECKS: RoleChecks = {
  planner: (result, items) =>
    formatProblems(checkPlannerResult(result, { items: items.map(toExistingItem) })),
  implementor: (result) => formatProblems(checkImplementorResult(result)),
  reviewer: (result) => formatProblems(checkReviewerResult(result)),
};

function formatProblems(checked: Checked<unknown>): readonly string[] {
  return checked.ok ? [] : checked.problems.map(({ code, message }) => `${code} ${message}`);
}
