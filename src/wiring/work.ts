import { basename } from 'node:path';
import { createPrograms } from '../adapters/programs/compare-programs.ts';
import { createScopeSources } from '../adapters/workspace/items/scope-sources.ts';
import type { OpenProject } from '../app/opened.ts';
import type { OpenWork, WorkOptions } from '../app/work/opened-work.ts';
import { sha256Hex } from '../node/sha256.ts';
import { createPatchClassifier } from '../runtime/evidence/classify-patch.ts';
import { notifyOfItems } from '../runtime/notify/item-notifications.ts';
import { createWorkEngine, type WorkEngine } from '../runtime/work/work-engine.ts';
import { readBody } from '../work/bodies/body.ts';
import { LABELS, readPlannedLabels } from '../work/items/labels.ts';
import { checkImplementorResult } from '../work/results/implementor-result.ts';
import { toExistingItem } from '../work/results/planned-ids.ts';
import { checkPlannerResult } from '../work/results/planner-result.ts';
import type { Checked } from '../work/results/problem-codes.ts';
import { checkReviewerResult } from '../work/results/reviewer-result.ts';
import type { RoleChecks } from '../work/results/role-result.ts';
import type { Configured } from './open.ts';
import { openLocalWork } from './work-local.ts';
import { createWorkRoles } from './work-roles.ts';

interface WorkRequest extends Configured {
  readonly project: OpenProject;
  readonly options: WorkOptions;
}

/** The work item engine, with the local provider and this repository's runs. */
export function assembleWork({ project, options, ...configured }: WorkRequest): OpenWork {
  const { repoRoot, config } = configured;
  const { deps, ids, clock } = project;
  const local = openLocalWork({ ...configured, deps });
  const jobs = options.jobs ?? config.work.jobs;
  const { notify, secrets = [] } = deps.project;
  const withNotifications = (engine: WorkEngine) =>
    notify === null
      ? engine
      : notifyOfItems(engine, {
          notifier: notify,
          clock,
          chance: Math.random,
          journal: local.journal,
          repository: basename(repoRoot),
          secrets,
          alone: local.notifyAlone,
        });
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
    engine: withNotifications(
      createWorkEngine({
        journal: local.journal,
        provider: local.provider,
        specs: local.specs,
        runner,
        clock,
        newKey: ids.newRunId,
        slots: jobs,
        maxRounds: config.work.max_rounds,
        scopeOf: (body) => readBody(body).inScope.map(({ path }) => path),
        readLabels: readPlannedLabels,
        checkPlan: (result, { items }) => CHECKS.planner(result, [...items.values()]),
      }),
    ),
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

const CHECKS: RoleChecks = {
  planner: (result, items) =>
    formatProblems(checkPlannerResult(result, { items: items.map(toExistingItem) })),
  implementor: (result) => formatProblems(checkImplementorResult(result)),
  reviewer: (result) => formatProblems(checkReviewerResult(result)),
};

function formatProblems(checked: Checked<unknown>): readonly string[] {
  return checked.ok ? [] : checked.problems.map(({ code, message }) => `${code} ${message}`);
}
