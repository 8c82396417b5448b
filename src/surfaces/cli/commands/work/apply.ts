import { createHash } from 'node:crypto';
import { findRoleResult } from '../../../../planner/claims/role-claims.ts';
import type { RoleEnd, RoleSubject } from '../../../../work/engine/role.ts';
import { createImplementorCommand, toGivenItem } from '../../../../work/engine/run-end.ts';
import { type ItemRecord, revisionOf } from '../../../../work/items/state.ts';
import { checkImplementorResult } from '../../../../work/results/implementor-result.ts';
import { checkPlannerResult } from '../../../../work/results/planner-result.ts';
import type { ContractProblem } from '../../../../work/results/problem-codes.ts';
import { checkReviewerResult } from '../../../../work/results/reviewer-result.ts';
import { CliError } from '../../cli-error.ts';
import { type CommandContext, printJson } from '../../command-context.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { readJson } from '../../given-text.ts';
import { resolveRunId, shortIdsIn } from '../../open.ts';
import { printable } from '../../output/terminal.ts';
import { type Asking, askAsPerson } from '../../output/work/asking.ts';
import { findItem } from '../../output/work/session.ts';

export interface ApplyOptions {
  readonly item: string | null;
  readonly run: string | null;
  readonly as: string | null;
  /** Apply a plan again, which creates its items once more. */
  readonly again: boolean;
}

interface SuppliedResult {
  readonly file: string;
  readonly value: unknown;
  readonly options: ApplyOptions;
}

/** Applies a role's result from a file, after checking it against its contract, the items and a run's evidence. */
export async function apply(context: CommandContext, file: string, options: ApplyOptions): Promise<ExitCode> {
  const value = await readJson(file);
  const role = findRoleResult(value)?.role;
  try {
    return await askAsPerson(context, options.as, (asking) => {
      switch (role) {
        case 'planner':
          return applyPlan(asking, { file, value, options });
        case 'implementor':
          return applyWork(asking, { file, value, options });
        case 'reviewer':
          return applyReview(asking, { file, value, options });
        default:
          throw new CliError(
            `${file} is not the result of a role`,
            'its "role" is planner, implementor or reviewer',
          );
      }
    });
  } catch (error) {
    if (!(error instanceof BrokenContract)) throw error;
    return printProblems(context, file, error.problems);
  }
}

/** Carries all problems to where they are printed. */
class BrokenContract extends Error {
  readonly problems: readonly ContractProblem[];

  constructor(problems: readonly ContractProblem[]) {
    super('the result breaks its contract');
    this.problems = problems;
  }
}

async function applyPlan(
  { snapshot, work, ask }: Asking,
  { file, value, options }: SuppliedResult,
): Promise<void> {
  if (options.item !== null || options.run !== null)
    throw new CliError('--item and --run are not for the result of a planner', 'remove them');
  const items = [...snapshot.state.items.values()].map(({ item }) => item);
  const checked = checkPlannerResult(value, { items });
  if (!checked.ok) throw new BrokenContract(checked.problems);
  const digest = createHash('sha256').update(JSON.stringify(checked.result)).digest('hex');
  const granted = await ask(
    {
      kind: 'apply_planner_result',
      runId: byHand(work.ids.newRunId()),
      specs: [],
      result: checked.result,
    },
    options.again ? undefined : `plan/${digest}`,
  );
  if (granted === 'done_before')
    throw new CliError(
      `${file} was applied before, and nothing was changed`,
      'conductor work list shows its items; --again creates them once more',
      EXIT.failed,
    );
}

async function applyWork(asking: Asking, { file, value, options }: SuppliedResult): Promise<void> {
  const { work, ask } = asking;
  const known = itemFor(asking, 'implementor', options.item);
  const words = findRoleResult(value) ?? {};
  if (words.outcome === 'completed') {
    const runId = await runFor(asking, options.run, known, file);
    const end = await checkAgainstRun(
      work,
      runId,
      { role: 'implementor', item: toGivenItem(known) },
      { file, value },
    );
    if (!('base' in end)) throw new CliError(`${file} is the result of another role`);
    await ask(createImplementorCommand(runId, known.item.id, end));
    return;
  }
  const checked = checkImplementorResult(value);
  if (!checked.ok) throw new BrokenContract(checked.problems);
  const runId = options.run === null ? byHand(work.ids.newRunId()) : await resolveRunId(work, options.run);
  await ask({
    kind: 'apply_implementor_result',
    runId,
    itemId: known.item.id,
    base: '',
    result: checked.result,
  });
}

/** Checks a result against the evidence of a run; throws the reason if the evidence contradicts it. */
async function checkAgainstRun(
  work: Asking['work'],
  runId: string,
  subject: RoleSubject,
  { file, value }: Pick<SuppliedResult, 'file' | 'value'>,
): Promise<Extract<RoleEnd, { readonly ok: true }>> {
  const state = await work.checkResult(runId, subject, value);
  const id = (await shortIdsIn(work))(runId);
  if (state.kind !== 'ended')
    throw new CliError(
      `run ${id} has not ended`,
      `conductor status ${id} shows its state; apply the result when it has ended`,
      EXIT.failed,
    );
  if (state.end.ok) return state.end;
  throw new CliError(
    `${file} ${printable(state.end.reason)}`,
    `conductor show ${id} has the evidence; nothing was applied`,
    EXIT.failed,
  );
}

async function applyReview(asking: Asking, { file, value, options }: SuppliedResult): Promise<void> {
  const { work, ask, snapshot } = asking;
  const known = itemFor(asking, 'reviewer', options.item);
  const { item } = known;
  const checked = checkReviewerResult(value);
  if (!checked.ok) throw new BrokenContract(checked.problems);
  const runId = options.run === null ? byHand(work.ids.newRunId()) : await resolveRunId(work, options.run);
  const revision = revisionOf(snapshot.state, item);
  // The review of an earlier commit says nothing about the current one.
  if (options.run !== null && revision !== null)
    await checkAgainstRun(
      work,
      runId,
      { role: 'reviewer', item: toGivenItem(known), head: revision.headSHA },
      { file, value },
    );
  await ask({
    kind: 'apply_reviewer_result',
    runId,
    itemId: item.id,
    revisionId: item.linkedRevision ?? '',
    result: checked.result,
    maxRounds: work.maxRounds,
  });
}

function itemFor({ snapshot }: Asking, role: string, itemRef: string | null): ItemRecord {
  if (itemRef !== null) return findItem(snapshot, itemRef);
  throw new CliError(`the result of the ${role} does not name its item`, 'name it: --item 3');
}

/** A completed result needs the run that did the work: its patch is the evidence. */
async function runFor(
  { work }: Asking,
  runRef: string | null,
  { item }: ItemRecord,
  file: string,
): Promise<string> {
  if (runRef !== null) return resolveRunId(work, runRef);
  throw new CliError(
    `${file} says completed, but names no run as evidence`,
    `name the run that did the work: --item ${item.id} --run RUN; or let an agent do it: conductor work dispatch ${item.id}`,
    EXIT.failed,
  );
}

function byHand(id: string): string {
  return `by-hand/${id}`;
}

function printProblems(
  context: CommandContext,
  file: string,
  problems: readonly ContractProblem[],
): ExitCode {
  if (context.json) {
    printJson(context, {
      ok: false,
      reason: 'the result breaks its contract',
      problems,
      events: [],
      items: [],
    });
    return EXIT.usage;
  }
  const { err, paint } = context.terminal;
  for (const { path, code, message } of problems)
    err(`${file}: ${paint.red(code)}: ${path === '' ? '' : `${printable(path)}: `}${printable(message)}\n`);
  err(`${paint.red('✗')} ${file}: nothing was applied\n`);
  err(
    `  ${paint.dim('help:')} correct the result, then apply it again; conductor contract check only looks\n`,
  );
  return EXIT.usage;
}
