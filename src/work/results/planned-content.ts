import type { WorkType } from '../../contracts/work/work-item.ts';
import type { PlannedWorkItem, PlannedWorkItemUpdate } from '../../contracts/work/work-results.ts';
import { detectBodyType } from '../bodies/body.ts';
import { type BodyProblem, checkBody } from '../bodies/check-body.ts';
import { checkLabels, type LabelProblem } from '../items/check-labels.ts';
import { readLabelFields } from '../items/labels.ts';
import { type ExistingItem, type Placed, quoteId } from './planned-ids.ts';
import type { ContractProblem } from './problem-codes.ts';

/** Checks the body and the labels of a new item. */
export function checkPlannedItem({ index, value }: Placed<PlannedWorkItem>): readonly ContractProblem[] {
  const { body, labels, tempID } = value;
  // Without a label for the type, the template of the body determines it.
  const type = readLabelFields(labels).type ?? detectBodyType(body);
  return [
    ...locateInBody(`create.${index}.body`, tempID, checkBody(body, type)),
    ...locateInLabels(`create.${index}.labels`, tempID, checkLabels(labels, { kind: 'new' }, type)),
  ];
}

/** Checks the fields of an update against the same rules; missing fields stay unchanged. */
export function checkUpdate(
  { index, value }: Placed<PlannedWorkItemUpdate>,
  item: ExistingItem | null,
): readonly ContractProblem[] {
  const { body, labels, workItemID: id } = value;
  const named = labels === null ? null : readLabelFields(labels).type;
  const present = item?.type ?? null;
  const labelled = { kind: 'existing', status: item?.status ?? null } as const;
  return [
    ...(body === null ? [] : locateInBody(`update.${index}.body`, id, checkBody(body, named ?? present))),
    ...(labels === null
      ? []
      : locateInLabels(`update.${index}.labels`, id, checkLabels(labels, labelled, present))),
    ...(body === null ? checkTypeKept(index, id, named, present) : []),
  ];
}

function checkTypeKept(
  index: number,
  id: string,
  named: WorkType | null,
  present: WorkType | null,
): readonly ContractProblem[] {
  if (named === null || present === null || named === present) return [];
  const message = `${quoteId(id)} becomes task:${named}, but keeps the body of a task:${present}: update its body, too`;
  return [{ path: `update.${index}.labels`, code: 'WR114', message }];
}

function locateInBody(
  path: string,
  id: string,
  problems: readonly BodyProblem[],
): readonly ContractProblem[] {
  return problems.map(({ code, message, line, quoted }) => {
    const place = quoted === null ? '' : `line ${line}, ${JSON.stringify(quoted)}: `;
    return { path, code, message: `the body of ${quoteId(id)}: ${place}${message}` };
  });
}

function locateInLabels(
  path: string,
  id: string,
  problems: readonly LabelProblem[],
): readonly ContractProblem[] {
  return problems.map(({ code, message, index }) => ({
    path: index === null ? path : `${path}.${index}`,
    code,
    message: `the labels of ${quoteId(id)}: ${message}`,
  }));
}
