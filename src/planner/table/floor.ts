import { ownValue } from '../../contracts/own-value.ts';
import {
  BLOCKER_SEVERITIES,
  type Blocker,
  type FixInstructions,
  type PlannerDecision,
  plannerDecisionSchema,
} from '../../contracts/planner/planner-decision.ts';
import type { PlannerInput } from '../../contracts/planner/planner-input.ts';
import type { PlannerStatus } from '../../contracts/vocabulary.ts';
import { composeFixInstructions } from '../fix-instructions.ts';
import { findHintedStep } from './evaluate.ts';
import { readFacts } from './facts.ts';
import { toProblems } from './problems.ts';
import { blockerSeverity, compareStatus, orderFlags } from './severity.ts';

/** A model's proposal after the rules set a floor for it. Proposal and floor are both kept for the record. */
export interface Floored {
  readonly decision: PlannerDecision;
  readonly floor: PlannerDecision;
  /** As received, valid or not. */
  readonly proposal: unknown;
  readonly verdict: 'taken' | 'raised_to_floor' | 'refused';
}

/** A model can make an evaluation worse but never better; an unusable proposal blocks. */
export function applyFloor(proposal: unknown, floor: PlannerDecision, envelope: PlannerInput): Floored {
  const read = readProposal(proposal, envelope.allowed_next_steps);
  if (!read.ok) return refuseProposal(read.blocker, proposal, floor, envelope);
  const lower = compareStatus(read.decision.status, floor.status) < 0;
  const decision = merge(read.decision, floor, envelope);
  return { decision, floor, proposal, verdict: lower ? 'raised_to_floor' : 'taken' };
}

/** Without a usable proposal the run is blocked, unless the floor is worse: then the floor applies. */
export function refuseProposal(
  blocker: Pick<Blocker, 'code' | 'summary'>,
  proposal: unknown,
  floor: PlannerDecision,
  envelope: PlannerInput,
): Floored {
  const decision = merge(refusal(blocker, envelope), floor, envelope);
  return { decision, floor, proposal, verdict: 'refused' };
}

/** A `blocked` decision that explains why there is no usable one. */
export function refusal(blocker: Pick<Blocker, 'code' | 'summary'>, envelope: PlannerInput): PlannerDecision {
  return {
    status: 'blocked',
    next_step: findHintedStep(envelope, 'blocked'),
    fix_instructions: null,
    blockers: [{ ...blocker, evidence_ref: null, severity: blockerSeverity('blocked') }],
    risk_flags: [],
  };
}

const MAX_REASONS = 3;
const EXCERPT_LENGTH = 200;

/** A one-line excerpt of a reply, enough for a user to recognise it. */
export function excerptReply(reply: unknown): string {
  const text = (typeof reply === 'string' ? reply : String(JSON.stringify(reply)))
    .replaceAll(/\s+/g, ' ')
    .trim();
  if (text === '') return 'nothing';
  return text.length <= EXCERPT_LENGTH ? text : `${text.slice(0, EXCERPT_LENGTH)}…`;
}

type ReadProposal =
  | { readonly ok: true; readonly decision: PlannerDecision }
  | { readonly ok: false; readonly blocker: Pick<Blocker, 'code' | 'summary'> };

function readProposal(proposal: unknown, allowed: readonly string[]): ReadProposal {
  if (
    proposal === undefined ||
    proposal === null ||
    (typeof proposal === 'string' && proposal.trim() === '')
  ) {
    return { ok: false, blocker: { code: 'planner_reply_missing', summary: 'the planner gave no reply' } };
  }
  const parsed = plannerDecisionSchema.safeParse(proposal);
  if (!parsed.success) {
    const reasons = toProblems(parsed.error).map(({ path, message }) =>
      path === '' ? message : `${path}: ${message}`,
    );
    const shown = reasons.slice(0, MAX_REASONS).join('; ');
    const more = reasons.length > MAX_REASONS ? `; and ${reasons.length - MAX_REASONS} more` : '';
    const summary = `the planner's reply does not match its schema: ${shown}${more}; it was: ${excerptReply(proposal)}`;
    return { ok: false, blocker: { code: 'planner_reply_invalid', summary } };
  }
  const step = parsed.data.next_step;
  if (step !== null && !allowed.includes(step)) {
    const named =
      step.trim() === '' ? 'an empty next step' : `the next step ${JSON.stringify(excerptReply(step))}`;
    const legal = allowed.length === 0 ? 'allowed: null' : `allowed: ${allowed.join(', ')}, or null`;
    const summary = `the planner names ${named}, which is not allowed; ${legal}`;
    return { ok: false, blocker: { code: 'planner_next_step_illegal', summary } };
  }
  return { ok: true, decision: parsed.data };
}

function merge(proposed: PlannerDecision, floor: PlannerDecision, envelope: PlannerInput): PlannerDecision {
  const lower = compareStatus(proposed.status, floor.status) < 0;
  const status = lower ? floor.status : proposed.status;
  const steps = lower ? [floor.next_step] : [proposed.next_step, findHintedStep(envelope, status)];
  const fix = lower ? floor.fix_instructions : (proposed.fix_instructions ?? floor.fix_instructions);
  return {
    status,
    next_step: steps.find((step) => step !== null) ?? null,
    fix_instructions: status === 'partial' ? completeFix(fix, envelope) : null,
    blockers: mergeBlockers(status, floor.blockers, proposed.blockers),
    risk_flags: orderFlags([...floor.risk_flags, ...proposed.risk_flags]),
  };
}

/**
 * Completes the fix instructions of a partial result: without instructions and a check the next agent has nothing
 * to work from. A model may also omit a failure, or name a validator instead of a command line; when the command
 * lines are known, both are filled in from the evidence.
 */
function completeFix(fix: FixInstructions | null, envelope: PlannerInput): FixInstructions {
  const commands = envelope.evidence.validation.commands ?? null;
  if (fix !== null && fix.verification.length > 0 && commands === null) return fix;
  const composed = composeFixInstructions(readFacts(envelope), []);
  if (fix === null) return composed;
  const verification = fix.verification.length > 0 ? fix.verification : composed.verification;
  if (commands === null) return { ...fix, verification };
  const named = new Set(fix.edits.map(({ target }) => target));
  return {
    ...fix,
    edits: [...fix.edits, ...composed.edits.filter(({ target }) => !named.has(target))],
    verification: verification.map((check) => ({
      ...check,
      command: ownValue(commands, check.command) ?? check.command,
    })),
  };
}

function mergeBlockers(
  status: PlannerStatus,
  floor: readonly Blocker[],
  proposed: readonly Blocker[],
): Blocker[] {
  const merged = new Map([...floor, ...proposed].map((blocker) => [JSON.stringify(blocker), blocker]));
  const needsOne = status !== 'success' && status !== 'partial';
  if (merged.size > 0 || !needsOne) return [...merged.values()].sort(worstFirst);
  const summary = `the planner decided ${status} without giving a reason`;
  return [{ code: 'planner_judgement', summary, evidence_ref: null, severity: blockerSeverity(status) }];
}

function worstFirst(a: Blocker, b: Blocker): number {
  return BLOCKER_SEVERITIES.indexOf(b.severity) - BLOCKER_SEVERITIES.indexOf(a.severity);
}
