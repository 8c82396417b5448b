import type { Blocker, PlannerDecision } from '../../contracts/planner/planner-decision.ts';
import type { PlannerInput } from '../../contracts/planner/planner-input.ts';
import type { PlannerStatus } from '../../contracts/vocabulary.ts';
import { composeFixInstructions } from '../fix-instructions.ts';
import { ESCALATIONS, type StatusBeforeEscalation } from './escalation.ts';
import { type Facts, readFacts } from './facts.ts';
import { ROWS, type RowFinding } from './rows.ts';
import { blockerSeverity, compareStatus, orderFlags, type RiskFlag, worstStatus } from './severity.ts';

/** A row of the decision table that matched, with its findings. */
export interface MatchedRow {
  readonly id: string;
  readonly status: PlannerStatus;
  readonly flag: RiskFlag | null;
  readonly found: readonly RowFinding[];
}

export interface EvaluationWithRows {
  readonly decision: PlannerDecision;
  /** Worst first, then in the order of the decision table. */
  readonly rows: readonly MatchedRow[];
  /** The status without the escalation rows. */
  readonly wouldBe: PlannerStatus;
}

export function evaluate(envelope: PlannerInput): PlannerDecision {
  return evaluateWithRows(envelope).decision;
}

export function evaluateWithRows(envelope: PlannerInput): EvaluationWithRows {
  const facts = readFacts(envelope);
  const { rows, wouldBe } = matchRows(facts);
  const status = worstStatus(rows.map((row) => row.status));
  const found = rows.flatMap((row) => row.found);
  const decision: PlannerDecision = {
    status,
    next_step: findHintedStep(envelope, status),
    fix_instructions: status === 'partial' ? composeFixInstructions(facts, found) : null,
    blockers: listBlockers(rows),
    risk_flags: orderFlags(rows.flatMap(({ flag }) => (flag === null ? [] : [flag]))),
  };
  return { decision, rows, wouldBe };
}

function matchRows(facts: Facts): { rows: MatchedRow[]; wouldBe: PlannerStatus } {
  const matched = ROWS.map((row) => ({ row, found: row.find(facts) })).filter(
    ({ found }) => found.length > 0,
  );
  const before: StatusBeforeEscalation = {
    wouldBe: worstStatus(matched.map(({ row }) => row.status)),
    found: matched.flatMap(({ found }) => found),
    contradictions: matched.flatMap(({ row, found }) => (row.contradicts(facts) ? found : [])),
  };
  const escalated = ESCALATIONS.map((row) => ({ row, found: row.find(facts, before) })).filter(
    ({ found }) => found.length > 0,
  );
  const rows: MatchedRow[] = [...matched, ...escalated].map(({ row, found }) => ({
    id: row.id,
    status: row.status,
    flag: row.flag,
    found,
  }));
  if (rows.length === 0) rows.push(cleanRow(facts));
  return { rows: rows.sort((a, b) => compareStatus(b.status, a.status)), wouldBe: before.wouldBe };
}

function cleanRow({ flaky }: Facts): MatchedRow {
  return { id: 'clean', status: 'success', flag: flaky.length > 0 ? 'flaky_checks' : null, found: [] };
}

/** One blocker per finding. A finding that several rows share keeps its worst severity. */
function listBlockers(rows: readonly MatchedRow[]): Blocker[] {
  const byFinding = new Map<string, Blocker>();
  for (const { status, found } of rows) {
    for (const { code, subject, summary, evidenceRef } of found) {
      const key = JSON.stringify([code, subject]);
      if (byFinding.has(key)) continue;
      byFinding.set(key, { code, summary, evidence_ref: evidenceRef, severity: blockerSeverity(status) });
    }
  }
  return [...byFinding.values()];
}

/** The route hint for a status, if that step is allowed. */
export function findHintedStep(
  { route_hints: hints, allowed_next_steps: allowed }: PlannerInput,
  status: PlannerStatus,
): string | null {
  const hint = hints?.[status] ?? null;
  return hint !== null && allowed.includes(hint) ? hint : null;
}
