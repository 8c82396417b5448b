import type { Blocker, PlannerDecision } from '../contracts/planner-decision.ts';
import type { PlannerInput } from '../contracts/planner-input.ts';
import type { PlannerStatus } from '../contracts/vocabulary.ts';
import { collapseSpace } from '../text/outside-text.ts';
import { explain, type FiredRow } from './judge.ts';
import type { Problem } from './problems.ts';
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
 * model may have made it worse, and then it is the model's word, with the blockers it gave.
 */
export function reasonsFor(
  envelope: PlannerInput,
  status: PlannerStatus,
  blockers: readonly Blocker[] = [],
): Reasons {
  const { decision, rows } = explain(envelope);
  const [first, ...others] = rows;
  if (first === undefined) throw new Error('a judgement without a row');
  if (decision.status !== status) return reasonsOfPlanner(status, blockers, decision, first);
  const more = others.filter((row) => row.found.length > 0).map(({ id }) => id);
  return {
    why: `${rowText(first)}${more.length === 0 ? '' : `; also ${more.join(', ')}`}`,
    change: unique(wordsFor(first).map(({ change }) => change)).join('; '),
  };
}

/** The blockers that a planner has instead of a judgement all begin so. */
const NO_JUDGEMENT = /^planner_(?!judgement$)/;

function reasonsOfPlanner(
  status: PlannerStatus,
  blockers: readonly Blocker[],
  byRules: PlannerDecision,
  first: FiredRow,
): Reasons {
  const ruled = byRules.blockers.map(({ code }) => code);
  const own = blockers.filter(({ code }) => !ruled.includes(code));
  const told = own.slice(0, TOLD).map(({ summary }) => collapseSpace(summary));
  const because = told.length === 0 ? '' : `: ${told.join('; ')}`;
  const rules = `by the rules it would be ${byRules.status} (${rowText(first)})`;
  const refused = own.some(({ code }) => NO_JUDGEMENT.test(code));
  return {
    why: `the planner ${refused ? 'gave no judgement that counts' : `judged ${status}`}${because}; ${rules}`,
    change: refused
      ? 'an answer of the planner that fits; its trace has what came'
      : `another answer of the planner, which may never be better than ${byRules.status}`,
  };
}

/** What the row found may have words of its own. */
function wordsFor({ id, found }: FiredRow): RowWords[] {
  return found.length === 0 ? [wordsOf(id)] : found.map(({ words }) => wordsOf(words ?? id));
}

function rowText(row: FiredRow): string {
  const read = unique(wordsFor(row).map((words) => words.read));
  if (row.found.length === 0) return `${row.id}: nothing in ${read.join(', ')} stands in the way`;
  const told = row.found.slice(0, TOLD).map(({ summary }) => collapseSpace(summary));
  const hidden = row.found.length - told.length;
  const refs = unique(row.found.flatMap(({ evidenceRef }) => (evidenceRef === null ? [] : [evidenceRef])));
  const where = [...read, ...refs.slice(0, TOLD)].join(', ');
  return `${row.id}: ${told.join('; ')}${hidden > 0 ? `; and ${hidden} more` : ''} (${where})`;
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}

/** For evidence that does not fit, which nobody can judge. */
export function reasonsOfMisfit(problems: readonly Problem[]): Reasons {
  const [first] = problems;
  return {
    why: `the evidence can't be judged: ${first?.path ?? ''}: ${first?.message ?? ''} (planner_input)`,
    change: 'evidence that fits, as conductor schema planner-input has it',
  };
}
