import { findRoleResult } from '../../planner/claims/role-claims.ts';
import type { WorkEngine, WorkSnapshot } from '../../runtime/work/work-engine.ts';
import { cleanOutput } from '../../text/outside-text.ts';
import type { RoleEnd, RoleSubject } from '../../work/engine/role.ts';
import { createImplementorCommand, toGivenItem } from '../../work/engine/run-end.ts';
import { type ItemRecord, revisionOf } from '../../work/items/state.ts';
import { checkImplementorResult } from '../../work/results/implementor-result.ts';
import { checkPlannerResult } from '../../work/results/planner-result.ts';
import type { ContractProblem } from '../../work/results/problem-codes.ts';
import { checkReviewerResult } from '../../work/results/reviewer-result.ts';
import { resolveRunId, shortIdsIn } from '../runs/resolve-run.ts';
import { UseCaseError } from '../use-case-error.ts';
import type { CommandDone } from './expect-done.ts';
import { findItem } from './find-item.ts';
import type { OpenWork } from './opened-work.ts';

/** What a use case needs that executes commands of a user. */
export interface UserCommands {
  readonly work: OpenWork;
  readonly snapshot: WorkSnapshot;
  /** Returns when the command is done; throws the reason and the fix if it is refused or fails. */
  readonly execute: (
    command: Parameters<WorkEngine['executeCommand']>[0],
    key?: string,
  ) => Promise<CommandDone>;
}

/** The result of a role from a file. */
export interface SuppliedResult {
  readonly file: string;
  readonly value: unknown;
  readonly item: string | null;
  readonly run: string | null;
  /** Apply a plan again, which creates its items once more. */
  readonly again: boolean;
}

/** Thrown before anything is applied; has all problems of the result. */
export class BrokenContract extends Error {
  readonly problems: readonly ContractProblem[];

  constructor(problems: readonly ContractProblem[]) {
    super('the result breaks its contract');
    this.problems = problems;
  }
}

/** Applies a role's result, after checking it against its contract, the items and a run's evidence. */
export async function applyResult(commands: UserCommands, supplied: SuppliedResult): Promise<void> {
  switch (findRoleResult(supplied.value)?.role) {
    case 'planner':
      return applyPlan(commands, supplied);
    case 'implementor':
      return applyWork(commands, supplied);
    case 'reviewer':
      return applyReview(commands, supplied);
    default:
      throw new UseCaseError(
        `${supplied.file} is not the result of a role`,
        'its "role" is planner, implementor or reviewer',
      );
  }
}

async function applyPlan(
  { snapshot, work, execute }: UserCommands,
  { file, value, item, run, again }: SuppliedResult,
): Promise<void> {
  if (item !== null || run !== null)
    throw new UseCaseError('--item and --run are not for the result of a planner', 'remove them');
  const items = [...snapshot.state.items.values()].map((known) => known.item);
  const checked = checkPlannerResult(value, { items });
  if (!checked.ok) throw new BrokenContract(checked.problems);
  const done = await execute(
    { kind: 'apply_planner_result', runId: createManualId(work), specs: [], result: checked.result },
    again ? undefined : `plan/${work.sha256(JSON.stringify(checked.result))}`,
  );
  if (done === 'done_before')
    throw new UseCaseError(
      `${file} was applied before, and nothing was changed`,
      'conductor work list shows its items; --again creates them once more',
      'failed',
    );
}

async function applyWork(commands: UserCommands, supplied: SuppliedResult): Promise<void> {
  const { work, execute } = commands;
  const { file, value } = supplied;
  const known = itemFor(commands, 'implementor', supplied.item);
  if (findRoleResult(value)?.outcome === 'completed') {
    const runId = await requireRun(work, known, supplied);
    const end = await checkAgainstRun(
      work,
      runId,
      { role: 'implementor', item: toGivenItem(known) },
      supplied,
    );
    if (!('base' in end)) throw new UseCaseError(`${file} is the result of another role`, null);
    await execute(createImplementorCommand(runId, known.item.id, end));
    return;
  }
  const checked = checkImplementorResult(value);
  if (!checked.ok) throw new BrokenContract(checked.problems);
  await execute({
    kind: 'apply_implementor_result',
    runId: await resolveOptionalRun(work, supplied.run),
    itemId: known.item.id,
    base: '',
    result: checked.result,
  });
}

async function applyReview(commands: UserCommands, supplied: SuppliedResult): Promise<void> {
  const { work, execute, snapshot } = commands;
  const known = itemFor(commands, 'reviewer', supplied.item);
  const { item } = known;
  const checked = checkReviewerResult(supplied.value);
  if (!checked.ok) throw new BrokenContract(checked.problems);
  const runId = await resolveOptionalRun(work, supplied.run);
  const revision = revisionOf(snapshot.state, item);
  // The review of an earlier commit says nothing about the current one.
  if (supplied.run !== null && revision !== null)
    await checkAgainstRun(
      work,
      runId,
      { role: 'reviewer', item: toGivenItem(known), head: revision.headSHA },
      supplied,
    );
  await execute({
    kind: 'apply_reviewer_result',
    runId,
    itemId: item.id,
    revisionId: item.linkedRevision ?? '',
    result: checked.result,
    maxRounds: work.maxRounds,
  });
}

/** Checks a result against the evidence of a run; throws the reason if the evidence contradicts it. */
async function checkAgainstRun(
  work: OpenWork,
  runId: string,
  subject: RoleSubject,
  { file, value }: SuppliedResult,
): Promise<Extract<RoleEnd, { readonly ok: true }>> {
  const state = await work.checkResult(runId, subject, value);
  const id = (await shortIdsIn(work))(runId);
  if (state.kind !== 'ended')
    throw new UseCaseError(
      `run ${id} has not ended`,
      `conductor status ${id} shows its state; apply the result when it has ended`,
      'failed',
    );
  if (state.end.ok) return state.end;
  throw new UseCaseError(
    `${file} ${cleanOutput(state.end.reason)}`,
    `conductor show ${id} has the evidence; nothing was applied`,
    'failed',
  );
}

function itemFor({ snapshot }: UserCommands, role: string, itemRef: string | null): ItemRecord {
  if (itemRef !== null) return findItem(snapshot, itemRef);
  throw new UseCaseError(`the result of the ${role} does not name its item`, 'name it: --item 3');
}

/** A completed result needs the run that did the work: its patch is the evidence. */
async function requireRun(
  work: OpenWork,
  { item }: ItemRecord,
  { file, run }: SuppliedResult,
): Promise<string> {
  if (run !== null) return resolveRunId(work, run);
  throw new UseCaseError(
    `${file} says completed, but names no run as evidence`,
    `name the run that did the work: --item ${item.id} --run RUN; or let an agent do it: conductor work dispatch ${item.id}`,
    'failed',
  );
}

async function resolveOptionalRun(work: OpenWork, runRef: string | null): Promise<string> {
  return runRef === null ? createManualId(work) : resolveRunId(work, runRef);
}

/** Takes the place of a run id for a result that a user made without a run. */
function createManualId({ ids }: OpenWork): string {
  return `by-hand/${ids.newRunId()}`;
}
