import { countOf } from '../../text/count-of.ts';
import type { ProofPath } from './path-proof.ts';
import type { Loop, Proofs } from './prove-workflow.ts';
import type { WorstCase } from './worst-case.ts';

export interface ProofLine {
  readonly kind: 'holds' | 'broken' | 'fact';
  readonly text: string;
}

/** Describes the proofs in short lines of text. */
export function describeProofs(proofs: Proofs): readonly ProofLine[] {
  const { validated, goldens } = proofs;
  return [
    describePathProof(validated, {
      holds: 'every success has a passed validation after the last agent',
      evaluated: 'every success has a validation after the last agent that passed or was evaluated',
      broken: 'a run can succeed without a passed validation after the last agent',
    }),
    goldens.proposing.length === 0
      ? { kind: 'holds', text: 'no goldens can be proposed' }
      : describePathProof(goldens, {
          holds: 'every success after proposed goldens has an approved gate in between',
          evaluated:
            'every success after proposed goldens has an approved gate, or an EVALUATE that saw none',
          broken: 'a run with proposed goldens can succeed without an approved gate',
        }),
    ...proofs.loops.map((loop): ProofLine => ({ kind: 'fact', text: describeLoop(loop) })),
    { kind: 'fact', text: describeWorstCase(proofs.worstCase) },
    ...describeStatuses(proofs),
    ...proofs.deadRoutes.map(
      ({ stepId, key }): ProofLine => ({
        kind: 'fact',
        text: `the route ${key} of ${stepId} can never be taken`,
      }),
    ),
  ];
}

function describePathProof(
  { broken, evaluated }: Proofs['validated'],
  texts: { readonly holds: string; readonly evaluated: string; readonly broken: string },
): ProofLine {
  if (broken !== null) return { kind: 'broken', text: `${texts.broken}: ${describePath(broken)}` };
  if (evaluated !== null)
    return { kind: 'holds', text: `${texts.evaluated}, as in ${describePath(evaluated)}` };
  return { kind: 'holds', text: texts.holds };
}

export function describePath({ path, end }: ProofPath): string {
  return [...path.map(({ stepId, key }) => `${stepId} (${key})`), end].join(' -> ');
}

function describeLoop({ steps }: Loop): string {
  return `loop: ${steps.map(({ stepId, maxVisits }) => `${stepId} at most ${countOf(maxVisits, 'time')}`).join(', ')}`;
}

function describeWorstCase(worst: WorstCase): string {
  const wall =
    worst.wallMs === null
      ? `unbounded wall clock (no timeout at ${worst.openGates.join(', ')}; ${describeDuration(worst.workMs)} without gates)`
      : `${describeDuration(worst.wallMs)} of wall clock`;
  const tokens = worst.tokens === null ? 'unbounded tokens' : countOf(worst.tokens, 'token');
  const cost = worst.costUsd === null ? 'unbounded cost' : describeUsd(worst.costUsd);
  const runs = countOf(worst.agentRuns, 'agent run');
  return `worst case: ${runs}, ${countOf(worst.plannerCalls, 'planner call')}, ${wall}, ${tokens}, ${cost}`;
}

function describeStatuses({ endingStatuses }: Proofs): ProofLine[] {
  const byStep = new Map<string, string[]>();
  for (const { stepId, status } of endingStatuses) {
    byStep.set(stepId, [...(byStep.get(stepId) ?? []), status]);
  }
  return [...byStep].map(([stepId, statuses]) => ({
    kind: 'fact',
    text: `${stepId} ends the run at once on ${statuses.join(', ')}`,
  }));
}

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
  ['ms', 1],
] as const;

/** Uses the duration units of workflow documents, so that the values can be compared. */
export function describeDuration(ms: number): string {
  const parts: string[] = [];
  let rest = ms;
  for (const [unit, size] of UNITS) {
    const whole = Math.floor(rest / size);
    if (whole > 0) parts.push(`${whole}${unit}`);
    rest -= whole * size;
  }
  return parts.length === 0 ? '0s' : parts.join(' ');
}

/** Rounds away floating-point noise. */
export function describeUsd(usd: number): string {
  return `${Number(usd.toFixed(9))} USD`;
}
