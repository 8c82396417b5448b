import { createHash } from 'node:crypto';
import { roleWordsOf } from '../../../../planner/claims/role-claims.ts';
import { checkImplementorResult } from '../../../../work/contract/implementor-result.ts';
import { checkPlannerResult } from '../../../../work/contract/planner-result.ts';
import type { ContractProblem } from '../../../../work/contract/problem-codes.ts';
import { checkReviewerResult } from '../../../../work/contract/reviewer-result.ts';
import type { RoleEnd, RoleSubject } from '../../../../work/role.ts';
import { type KnownItem, revisionOf } from '../../../../work/state.ts';
import { CliError } from '../../cli-error.ts';
import { printJson, type VerbContext } from '../../command-context.ts';
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
  /** A plan that was applied before makes its items once more. */
  readonly again: boolean;
}

interface Brought {
  readonly file: string;
  readonly value: unknown;
  readonly options: ApplyOptions;
}

/** Applies the result of a role that a person brings, held against its contract, the items and the evidence of a run. */
export async function apply(context: VerbContext, file: string, options: ApplyOptions): Promise<ExitCode> {
  const value = await readJson(file);
  const role = roleWordsOf(value)?.role;
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
            `${file} is the result of no role`,
            'its "role" is planner, implementor or reviewer',
          );
      }
    });
  } catch (error) {
    if (!(error instanceof BrokenContract)) throw error;
    return tellProblems(context, file, error.problems);
  }
}

/** Carries every problem to where they are printed. */
class BrokenContract extends Error {
  readonly problems: readonly ContractProblem[];

  constructor(problems: readonly ContractProblem[]) {
    super('the result breaks its contract');
    this.problems = problems;
  }
}

async function applyPlan({ snapshot, work, ask }: Asking, { file, value, options }: Brought): Promise<void> {
  if (options.item !== null || options.run !== null)
    throw new CliError('--item and --run are not for the result of a planner', 'leave them out');
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
      'conductor work list shows its items; --again makes them once more',
      EXIT.failed,
    );
}

async function applyWork(asking: Asking, { file, value, options }: Brought): Promise<void> {
  const { work, ask } = asking;
  const known = itemFor(asking, 'implementor', options.item);
  const words = roleWordsOf(value) ?? {};
  if (words.outcome === 'completed') {
    const runId = await runFor(asking, options.run, known, file);
    const end = await holdAgainst(
      work,
      runId,
      { role: 'implementor', item: { item: known.item, body: known.body } },
      { file, value },
    );
    if (!('base' in end)) throw new CliError(`${file} is the result of another role`);
    await ask({
      kind: 'apply_implementor_result',
      runId,
      itemId: known.item.id,
      base: end.base,
      result: end.result,
    });
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

/** What the evidence of a run makes of a result; fails with the reason where it speaks against it. */
async function holdAgainst(
  work: Asking['work'],
  runId: string,
  subject: RoleSubject,
  { file, value }: Pick<Brought, 'file' | 'value'>,
): Promise<Extract<RoleEnd, { readonly ok: true }>> {
  const state = await work.judgeResult(runId, subject, value);
  const id = (await shortIdsIn(work))(runId);
  if (state.kind !== 'ended')
    throw new CliError(
      `run ${id} has not ended`,
      `conductor status ${id} says where it stands; apply the result when it has ended`,
      EXIT.failed,
    );
  if (state.end.ok) return state.end;
  throw new CliError(
    `${file} ${printable(state.end.reason)}`,
    `conductor show ${id} has the evidence; nothing was applied`,
    EXIT.failed,
  );
}

async function applyReview(asking: Asking, { file, value, options }: Brought): Promise<void> {
  const { work, ask, snapshot } = asking;
  const known = itemFor(asking, 'reviewer', options.item);
  const { item } = known;
  const checked = checkReviewerResult(value);
  if (!checked.ok) throw new BrokenContract(checked.problems);
  const runId = options.run === null ? byHand(work.ids.newRunId()) : await resolveRunId(work, options.run);
  const revision = revisionOf(snapshot.state, item);
  // What an earlier commit got says nothing about the one that is there now.
  if (options.run !== null && revision !== null)
    await holdAgainst(
      work,
      runId,
      { role: 'reviewer', item: { item, body: known.body }, head: revision.headSHA },
      { file, value },
    );
  await ask({
    kind: 'apply_reviewer_result',
    runId,
    itemId: item.id,
    revisionId: item.linkedRevision ?? '',
    result: checked.result,
  });
}

function itemFor({ snapshot }: Asking, role: string, wanted: string | null): KnownItem {
  if (wanted !== null) return findItem(snapshot, wanted);
  throw new CliError(`the result of the ${role} does not say of which item it is`, 'name it: --item 3');
}

/** The patch of what is completed is taken from a run, because nobody is believed who only says so. */
async function runFor(
  { work }: Asking,
  wanted: string | null,
  { item }: KnownItem,
  file: string,
): Promise<string> {
  if (wanted !== null) return resolveRunId(work, wanted);
  throw new CliError(
    `${file} says completed, and no run proves it: its patch is never taken from a file`,
    `name the run that did the work: --item ${item.id} --run RUN; or have it done: conductor work dispatch ${item.id}`,
    EXIT.failed,
  );
}

function byHand(id: string): string {
  return `by-hand/${id}`;
}

function tellProblems(context: VerbContext, file: string, problems: readonly ContractProblem[]): ExitCode {
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
