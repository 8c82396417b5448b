import type { PlannerInput } from '../contracts/planner-input.ts';
import type { PlannerStatus } from '../contracts/vocabulary.ts';
import { explain, type FiredRow } from './judge.ts';
import { type RowWords, wordsOf } from './row-words.ts';

export interface Reasons {
  /** The row that gave the status, what it found, and where. */
  readonly why: string;
  /** What would have to be different for another status. */
  readonly change: string;
}

/** Findings that are told in full; the decision lists them all. */
const TOLD = 2;

/**
 * Why a judgement came out as it did. The rules are asked again: they give the same answer to the same envelope. A
 * model may have made it worse, and then it is the model's word.
 */
export function reasonsFor(envelope: PlannerInput, status: PlannerStatus): Reasons {
  const { decision, rows } = explain(envelope);
  const [first, ...others] = rows;
  if (first === undefined) throw new Error('a judgement without a row');
  if (decision.status !== status)
    return {
      why: `the planner judged ${status}; by the rules it would be ${decision.status} (${rowText(first)})`,
      change: `another answer of the planner, which may never be better than ${decision.status}`,
    };
  const more = others.filter((row) => row.found.length > 0).map(({ id }) => id);
  return {
    why: `${rowText(first)}${more.length === 0 ? '' : `; also ${more.join(', ')}`}`,
    change: unique(wordsFor(first).map(({ change }) => change)).join('; '),
  };
}

/** What the row found may have words of its own. */
function wordsFor({ id, found }: FiredRow): RowWords[] {
  return found.length === 0 ? [wordsOf(id)] : found.map(({ words }) => wordsOf(words ?? id));
}

function rowText(row: FiredRow): string {
  const read = unique(wordsFor(row).map((words) => words.read));
  if (row.found.length === 0) return `${row.id}: nothing in ${read.join(', ')} stands in the way`;
  const told = row.found.slice(0, TOLD).map(({ summary }) => oneLine(summary));
  const hidden = row.found.length - told.length;
  const refs = unique(row.found.flatMap(({ evidenceRef }) => (evidenceRef === null ? [] : [evidenceRef])));
  const where = [...read, ...refs.slice(0, TOLD)].join(', ');
  return `${row.id}: ${told.join('; ')}${hidden > 0 ? `; and ${hidden} more` : ''} (${where})`;
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
