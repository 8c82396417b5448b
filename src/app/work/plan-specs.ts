import type { SpecReading } from '../../ports/work/spec-folder.ts';
import { cleanOutput } from '../../text/outside-text.ts';
import { UseCaseError } from '../use-case-error.ts';
import { expectAccepted } from './expect-done.ts';
import type { WorkDriving, WorkEnd } from './work-end.ts';

export interface PlanRequest {
  /** Plan even if no approved spec has changed since the last plan. */
  readonly force: boolean;
  /** Called for each spec that can't be used, before the planner starts. */
  readonly onSpecProblem: (problem: SpecReading['problems'][number]) => void;
}

/** How many unusable specs a message names. */
const MAX_NAMED = 3;

/** Lets the planner turn approved specs into items. */
export async function planSpecs(
  driving: WorkDriving,
  { force, onSpecProblem }: PlanRequest,
): Promise<WorkEnd> {
  const { work } = driving;
  const { problems } = await work.readSpecs();
  for (const problem of problems) onSpecProblem(problem);
  await work.engine.recover();
  const { state, unplanned } = await work.engine.snapshot();
  const approved = state.specs.filter(({ frontmatterStatus }) => frontmatterStatus === 'approved');
  if (approved.length > 0 && unplanned.length === 0 && !force)
    return {
      kind: 'done',
      ok: true,
      reason: `nothing to plan: ${describeApproved(approved.length)} as planned before`,
      help: 'conductor work plan --force plans anyway',
    };
  return planNow(driving);
}

async function planNow({ work, person, signal, onEvent, short }: WorkDriving): Promise<WorkEnd> {
  const report = await work.engine.plan(person, signal, { onEvent });
  if (report.kind === 'refused' && report.code === 'nothing_to_plan') throw await noApprovedSpec(work);
  const { conclusion, runId } = expectAccepted(report, null);
  const id = short(runId);
  if (signal.aborted)
    return {
      kind: 'stopped',
      ok: false,
      reason: 'stopped',
      help: 'run conductor work plan again to start over',
    };
  if (conclusion.kind === 'waiting')
    return {
      kind: 'waiting',
      ok: true,
      reason: `run ${id} is ${cleanOutput(conclusion.reason)}`,
      help: 'conductor gates shows what it asks; the result is applied when the run has ended',
    };
  if (conclusion.kind === 'driven')
    throw new UseCaseError(
      `another process drives the run ${id}`,
      `conductor status ${id} --watch`,
      'failed',
    );
  if (!conclusion.ok)
    return {
      kind: 'failed',
      ok: false,
      reason: `the plan was not applied: ${cleanOutput(conclusion.reason)}`,
      help: `conductor show ${id} has what the planner did`,
    };
  await work.engine.recover();
  return { kind: 'done', ok: true, reason: null, help: null };
}

/** Names where specs were searched, so that the user does not look for a mistake in a spec that was never read. */
async function noApprovedSpec({ readSpecs, specPlace }: WorkDriving['work']): Promise<UseCaseError> {
  const [{ specs, problems }, { branch, named, globs }] = await Promise.all([readSpecs(), specPlace()]);
  if (branch === null)
    return new UseCaseError(
      named === null
        ? 'there is no approved spec: specs are read from the default branch, which is unknown'
        : `there is no approved spec: specs are read from the branch "${cleanOutput(named)}", which does not exist`,
      `${named === null ? 'name' : 'correct'} the branch: work.branch in .tnh/config.yaml`,
      'failed',
    );
  const seen = [
    ...specs.map(({ filePath, frontmatterStatus }) => `${filePath} is ${frontmatterStatus}`),
    ...problems.map(({ filePath }) => `${filePath} can't be used`),
  ];
  const more = seen.length > MAX_NAMED ? [`${seen.length - MAX_NAMED} more`] : [];
  const found = [...seen.slice(0, MAX_NAMED), ...more].join(', ');
  return new UseCaseError(
    cleanOutput(
      seen.length === 0
        ? `there is no approved spec: no file on ${branch} matches ${globs.join(', ')}`
        : `there is no approved spec on ${branch}: ${found}`,
    ),
    `set \`status: approved\` in the front matter of a spec and commit it on ${cleanOutput(branch)}; work.branch and work.specs in .tnh/config.yaml say where specs are`,
    'failed',
  );
}

function describeApproved(specs: number): string {
  return specs === 1 ? 'the one approved spec is' : `all ${specs} approved specs are`;
}
