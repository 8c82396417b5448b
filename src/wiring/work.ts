import { createPrograms } from '../adapters/programs/compare-programs.ts';
import { createScopeSources } from '../adapters/workspace/items/scope-sources.ts';
import type { OpenProject } from '../app/opened.ts';
import type { OpenWork, WorkOptions } from '../app/opened-work.ts';
import type { WorkItem } from '../contracts/work/work-item.ts';
import { parsePatch } from '../policy/patch.ts';
import { classifyPatch } from '../runtime/evidence/classify-patch.ts';
import type { ClassifyPatch } from '../runtime/work/role-runner.ts';
import { createWorkEngine } from '../runtime/work/work-engine.ts';
import { readBody } from '../work/bodies/body.ts';
import type { ReadLabels } from '../work/items/labels.ts';
import { LABELS, readLabelFields } from '../work/items/labels.ts';
import { checkImplementorResult } from '../work/results/implementor-result.ts';
import type { ExistingItem } from '../work/results/planned-ids.ts';
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
  const runner = createWorkRoles({
    project,
    work: config.work,
    checks: CHECKS,
    judgePatch: judgePatchIn(repoRoot),
    ...(options.observe === undefined ? {} : { observe: options.observe }),
  });
  return {
    ...project,
    jobs,
    engine: createWorkEngine({
      journal: local.journal,
      provider: local.provider,
      specs: local.specs,
      runner,
      clock,
      newKey: ids.newRunId,
      slots: jobs,
      scopeOf: (body) => readBody(body).inScope.map(({ path }) => path),
      readLabels,
      checkPlan: (result, { items }) =>
        formatProblems(checkPlannerResult(result, { items: [...items.values()].map(toExistingItem) })),
    }),
    checkResult: runner.checkResult,
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

/** Items change while a planner works. A status that it copied is not an error, so only `closed` is compared. */
function toExistingItem({ item: { status, ...rest } }: { readonly item: WorkItem }): ExistingItem {
  return status === 'closed' ? { ...rest, status } : rest;
}

function formatProblems(checked: Checked<unknown>): readonly string[] {
  return checked.ok ? [] : checked.problems.map(({ code, message }) => `${code} ${message}`);
}

/** The contract requires one label of each category, so the defaults only satisfy the types. */
const readLabels: ReadLabels = (labels) => {
  const { type, priority, complexity, other } = readLabelFields(labels);
  const known = type ?? 'implement';
  return {
    type: known,
    priority: priority ?? 'medium',
    complexity: known === 'refinement' ? null : (complexity ?? 'medium'),
    otherLabels: other,
  };
};

/** Applies the scope rules to the patch as conductor recorded it, with file contents from its base. */
function judgePatchIn(repoRoot: string): ClassifyPatch {
  const programs = createPrograms();
  return async ({ body, base, patch, summary }) => {
    const parsed = parsePatch(patch);
    if (!parsed.ok)
      return { ok: false, reason: `its patch can't be judged: line ${parsed.line}: ${parsed.message}` };
    const { inScope, outOfScope } = readBody(body);
    const sources = await createScopeSources(repoRoot, base);
    const verdict = await classifyPatch({ inScope, outOfScope, patch: parsed, summary, sources, programs });
    return { ok: true, verdict };
  };
}
