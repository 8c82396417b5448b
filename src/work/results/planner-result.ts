import {
  type PlannedWorkItem,
  type PlannedWorkItemUpdate,
  type PlannerResult,
  plannedWorkItemSchema,
  plannedWorkItemUpdateSchema,
  plannerResultSchema,
} from '../../contracts/work/work-results.ts';
import { fieldOf, parseForm, readValidEntries } from './form-problems.ts';
import { checkBlockers } from './planned-blockers.ts';
import { checkPlannedItem, checkUpdate } from './planned-content.ts';
import { describeUnknownId, type ExistingItem, type KnownIds, type Placed, quoteId } from './planned-ids.ts';
import type { Checked, ContractProblem } from './problem-codes.ts';

export interface PlannerContext {
  /** Null if the existing items are unknown: then any id is accepted. */
  readonly items: readonly ExistingItem[] | null;
}

/** Finds all problems before anything is applied. The parts after an invalid one are checked too. */
export function checkPlannerResult(value: unknown, context: PlannerContext): Checked<PlannerResult> {
  const form = parseForm(plannerResultSchema, value, { role: 'WR101' });
  const create = readValidEntries(plannedWorkItemSchema, fieldOf(value, 'create'));
  const update = readValidEntries(plannedWorkItemUpdateSchema, fieldOf(value, 'update'));
  const close = readStrings(fieldOf(value, 'close'));
  const known: KnownIds = {
    tempIds: new Set([...create.map(({ value: item }) => item.tempID), ...readStrayTempIds(value)]),
    items: context.items === null ? null : new Map(context.items.map((item) => [item.id, item])),
  };
  const problems = [
    ...(form.ok ? [] : form.problems),
    ...checkTempIds(create, known),
    ...checkBlockers(create, known),
    ...create.flatMap(checkPlannedItem),
    ...checkClosed(close, known),
    ...checkUpdated(update, new Set(close.map(({ value: id }) => id)), known),
    ...update.flatMap((entry) => checkUpdate(entry, known.items?.get(entry.value.workItemID) ?? null)),
  ];
  if (form.ok && problems.length === 0) return { ok: true, result: form.value };
  return { ok: false, problems };
}

function checkTempIds(
  create: readonly Placed<PlannedWorkItem>[],
  { items }: KnownIds,
): readonly ContractProblem[] {
  const first = new Map<string, number>();
  return create.flatMap(({ index, value: { tempID } }): readonly ContractProblem[] => {
    const path = `create.${index}.tempID`;
    const before = first.get(tempID);
    if (before !== undefined)
      return [problem(path, 'WR102', `create.${before} already has the tempID ${quoteId(tempID)}`)];
    first.set(tempID, index);
    return items?.has(tempID) === true
      ? [problem(path, 'WR103', `the tempID ${quoteId(tempID)} is the id of an existing item`)]
      : [];
  });
}

function checkClosed(close: readonly Placed<string>[], known: KnownIds): readonly ContractProblem[] {
  const first = new Map<string, number>();
  return close.flatMap(({ index, value: id }): readonly ContractProblem[] => {
    const path = `close.${index}`;
    const before = first.get(id);
    if (before !== undefined)
      return [problem(path, 'WR109', `close.${before} already closes ${quoteId(id)}`)];
    first.set(id, index);
    if (known.items === null) return [];
    const item = known.items.get(id);
    if (item === undefined) return [problem(path, 'WR107', `${quoteId(id)} ${describeUnknownId(id, known)}`)];
    return item.status === 'closed'
      ? [problem(path, 'WR108', `${quoteId(id)} can't be closed: it is already closed`)]
      : [];
  });
}

function checkUpdated(
  update: readonly Placed<PlannedWorkItemUpdate>[],
  closed: ReadonlySet<string>,
  known: KnownIds,
): readonly ContractProblem[] {
  const first = new Map<string, number>();
  return update.flatMap(({ index, value: { workItemID: id } }): readonly ContractProblem[] => {
    const path = `update.${index}.workItemID`;
    const before = first.get(id);
    if (before !== undefined)
      return [problem(path, 'WR112', `update.${before} already updates ${quoteId(id)}`)];
    first.set(id, index);
    const both = closed.has(id)
      ? [problem(path, 'WR113', `${quoteId(id)} is both closed and updated by this result`)]
      : [];
    if (known.items === null) return both;
    const item = known.items.get(id);
    // An unknown id that is also closed is reported there already.
    if (item === undefined)
      return both.length > 0
        ? both
        : [problem(path, 'WR110', `${quoteId(id)} ${describeUnknownId(id, known)}`)];
    return item.status === 'closed'
      ? [...both, problem(path, 'WR111', `${quoteId(id)} can't be updated: it is closed`)]
      : both;
  });
}

function problem(path: string, code: ContractProblem['code'], message: string): ContractProblem {
  return { path, code, message };
}

function readStrings(list: unknown): readonly Placed<string>[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((value: unknown, index) => (typeof value === 'string' ? [{ index, value }] : []));
}

/** The tempIDs of invalid entries, so that references to them are not reported as well. */
function readStrayTempIds(value: unknown): readonly string[] {
  const create = fieldOf(value, 'create');
  if (!Array.isArray(create)) return [];
  return create
    .map((entry: unknown) => fieldOf(entry, 'tempID'))
    .filter((tempID) => typeof tempID === 'string');
}
