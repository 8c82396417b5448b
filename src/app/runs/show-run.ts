import { type PlannerDecision, plannerDecisionSchema } from '../../contracts/planner/planner-decision.ts';
import { PLANNER_STATUSES } from '../../contracts/vocabulary.ts';
import { formatLedgerEntry } from '../../planner/claims/ledger.ts';
import { parseEnvelope } from '../../planner/envelope.ts';
import { explainEvaluation, explainInvalidEvidence } from '../../planner/table/explain-evaluation.ts';
import type { RunDirectory } from '../../ports/run-store.ts';
import { readLedger } from '../../runtime/evidence/claim-ledger.ts';
import { readEvidenceJson, readManifest } from '../../runtime/evidence/evidence.ts';
import { collectFindings } from '../../runtime/evidence/findings.ts';
import { quoteLines, readLastMessage } from '../../runtime/evidence/last-message.ts';
import { allNotes } from '../../runtime/evidence/standing-checks.ts';
import { hasExpired, readAnswer } from '../../runtime/gates/open-gates.ts';
import { findEarlierRun } from '../../runtime/record/earlier-run.ts';
import { findParked, lastEnded, type ParkedView, type StepView } from '../../runtime/record/run-view.ts';
import type { OpenRun } from './open-run.ts';

export interface ShownStep {
  readonly step: StepView;
  /** For an evaluation: why it came out as it did, what would change it, and whether the claims are confirmed. */
  readonly reasons: readonly string[];
  /** The artifacts that a reader should look at first; the manifest lists all. */
  readonly evidence: readonly { readonly role: string; readonly path: string }[];
}

/** What the run needs to continue; null if it has ended or a process drives it. */
export type NeededAction =
  /** A run of an earlier version, which can only be cancelled. */
  | { readonly kind: 'cancel' }
  | { readonly kind: 'parked'; readonly parked: ParkedView }
  /** Its gate is answered or has expired. */
  | { readonly kind: 'resume' }
  | { readonly kind: 'answer' };

export interface ShownRun {
  readonly findings: readonly string[];
  /** Notes on how far the checks can be trusted. */
  readonly notes: readonly string[];
  readonly steps: readonly ShownStep[];
  readonly needs: NeededAction | null;
}

/** Collects what a reader wants to know about a run besides its state: findings, reasons and evidence. */
export async function showRun(run: OpenRun): Promise<ShownRun> {
  const { view, record } = run;
  const { directory } = record;
  const steps: ShownStep[] = [];
  for (const step of view.steps) {
    if (step.opcode === 'STOP') continue;
    steps.push({
      step,
      reasons: await explainStep(run, step),
      evidence: await listImportantEvidence(run, step),
    });
  }
  return {
    findings: await collectFindings(directory, view.steps),
    notes: await allNotes({ directory, view: () => view }),
    steps,
    needs: await findNeededAction(run),
  };
}

async function findNeededAction({ view, record }: OpenRun): Promise<NeededAction | null> {
  const { awaiting } = view;
  if (view.end === null && findEarlierRun(view) !== null) return { kind: 'cancel' };
  const parked = findParked(view);
  if (parked !== null) return { kind: 'parked', parked };
  if (awaiting === null) return null;
  const isSettled =
    hasExpired(awaiting, await record.inbox.now()) || (await readAnswer(record.inbox, awaiting)) !== null;
  return { kind: isSettled ? 'resume' : 'answer' };
}

/** Why an evaluation came out as it did, and what would lead to another result. */
export interface Explanation {
  readonly why: string;
  readonly change: string;
  /** Null if it can't be read. */
  readonly decision: PlannerDecision | null;
}

/** Null for a step that is not an ended evaluation. */
export async function readExplanation(directory: RunDirectory, step: StepView): Promise<Explanation | null> {
  const status = PLANNER_STATUSES.find((known) => known === step.termination);
  if (step.opcode !== 'EVALUATE' || status === undefined) return null;
  const stored = await readEvidenceJson(directory, step, 'planner_input');
  if (stored === null) return null;
  const input = parseEnvelope(stored);
  const decision = plannerDecisionSchema.safeParse(
    await readEvidenceJson(directory, step, 'planner_decision'),
  );
  const explained = input.ok
    ? explainEvaluation(input.envelope, status, decision.data?.blockers)
    : explainInvalidEvidence(input.problems);
  return { ...explained, decision: decision.data ?? null };
}

async function explainStep({ record, view }: OpenRun, step: StepView): Promise<string[]> {
  const explained = await readExplanation(record.directory, step);
  if (explained === null) return [];
  const claims = (await readLedger(record.directory, step)).map(formatLedgerEntry);
  // An open gate shows the agent's final response itself.
  const isLast = step === lastEnded(view.steps, 'EVALUATE') && view.awaiting === null;
  const response = isLast ? await readLastMessage({ directory: record.directory, view: () => view }) : null;
  const quoted = response === null ? [] : [`final response of ${response.step_id}:`, ...quoteLines(response)];
  return [`reason: ${explained.why}`, `would be different after: ${explained.change}`, ...claims, ...quoted];
}

async function listImportantEvidence({ record }: OpenRun, step: StepView): Promise<ShownStep['evidence']> {
  const manifest = await readManifest(record.directory, step);
  return (manifest?.artifacts ?? [])
    .filter(({ important, bytes }) => important && bytes > 0)
    .map(({ role, path }) => ({ role, path }));
}
