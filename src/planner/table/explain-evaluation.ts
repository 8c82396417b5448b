import type { Blocker, PlannerDecision } from '../../contracts/planner/planner-decision.ts';
import type { PlannerInput } from '../../contracts/planner/planner-input.ts';
import type { PlannerStatus } from '../../contracts/vocabulary.ts';
import { collapseSpace } from '../../text/outside-text.ts';
import { evaluateWithRows, type MatchedRow } from './evaluate.ts';
import type { Problem } from './problems.ts';
import { type RowText, textOfRow } from './row-text.ts';

export interface Reasons {
  /** The row that gave the status, what it found, and where. */
  readonly why: string;
  /** What would have to be different for another status. */
  readonly change: string;
}

/** Number of findings given in full; the decision lists them all. */
const MAX_FINDINGS = 2;

/**
 * Explains an evaluation by running the rules again, which is deterministic for the same envelope. If the status
 * differs, a model made it worse, and the model's blockers are the explanation.
 */
export function explainEvaluation(
  envelope: PlannerInput,
  status: PlannerStatus,
  blockers: readonly Blocker[] = [],
): Reasons {
  const { decision, rows } = evaluateWithRows(envelope);
  const [first, ...others] = rows;
  if (first === undefined) throw new Error('an evaluation matched no row');
  if (decision.status !== status) return explainPlanner(status, blockers, decision, first);
  const more = others.filter((row) => row.found.length > 0).map(({ id }) => id);
  return {
    why: `${describeRow(first)}${more.length === 0 ? '' : `; also ${more.join(', ')}`}`,
    change: unique(textsOfRow(first).map(({ change }) => change)).join('; '),
  };
}

/** Matches the blocker codes of a planner reply that was missing or refused. */
const REFUSED_REPLY = /^planner_(?!judgement$)/;

function explainPlanner(
  status: PlannerStatus,
  blockers: readonly Blocker[],
  byRules: PlannerDecision,
  first: MatchedRow,
): Reasons {
  const ruled = byRules.blockers.map(({ code }) => code);
  const own = blockers.filter(({ code }) => !ruled.includes(code));
  const shown = own.slice(0, MAX_FINDINGS).map(({ summary }) => collapseSpace(summary));
  const because = shown.length === 0 ? '' : `: ${shown.join('; ')}`;
  const rules = `by the rules it would be ${byRules.status} (${describeRow(first)})`;
  const refused = own.some(({ code }) => REFUSED_REPLY.test(code));
  return {
    why: `the planner ${refused ? 'gave no usable reply' : `decided ${status}`}${because}; ${rules}`,
    change: refused
      ? 'a valid reply from the planner; the planner trace has the reply it gave'
      : `another reply from the planner; it can't improve on ${byRules.status}`,
  };
}

/** A finding can override the text of its row. */
function textsOfRow({ id, found }: MatchedRow): RowText[] {
  return found.length === 0 ? [textOfRow(id)] : found.map(({ explainedBy }) => textOfRow(explainedBy ?? id));
}

function describeRow(row: MatchedRow): string {
  const read = unique(textsOfRow(row).map(({ read: path }) => path));
  if (row.found.length === 0) return `no problem found in ${read.join(', ')}`;
  const shown = row.found.slice(0, MAX_FINDINGS).map(({ summary }) => collapseSpace(summary));
  const hidden = row.found.length - shown.length;
  const refs = unique(row.found.flatMap(({ evidenceRef }) => (evidenceRef === null ? [] : [evidenceRef])));
  const where = [...read, ...refs.slice(0, MAX_FINDINGS)].join(', ');
  return `${row.id}: ${shown.join('; ')}${hidden > 0 ? `; and ${hidden} more` : ''} (${where})`;
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}

/** Explains a rejection of evidence that doesn't match the schema. */
export function explainInvalidEvidence(problems: readonly Problem[]): Reasons {
  const [first] = problems;
  return {
    why: `the evidence can't be evaluated: ${first?.path ?? ''}: ${first?.message ?? ''} (planner_input)`,
    change: 'evidence that matches the schema; `conductor schema planner-input` prints it',
  };
}
