import type { PlannerInput } from '../../../src/contracts/planner/planner-input.ts';
import type { MechanicalOutcome, PlannerStatus } from '../../../src/contracts/vocabulary.ts';
import { envelope, report } from './envelope-builder.ts';

/**
 * The decision table a second time, written from its page and from nothing else: it reads a situation of plain
 * values, never an envelope, and shares no code with the planner.
 */
export interface Situation {
  readonly intent: 'implementation' | 'review';
  readonly claims: readonly (
    | 'implemented'
    | 'fixed'
    | 'tests_pass'
    | 'created src/a.ts'
    | 'created gone.ts'
  )[];
  readonly blocker: boolean;
  readonly changed: boolean;
  readonly runChanged: boolean | undefined;
  readonly events: readonly ('forbidden_path' | 'requires_approval' | 'note')[];
  readonly outcome: MechanicalOutcome;
  readonly exitCodes: Readonly<Record<string, number>>;
  readonly timeouts: readonly string[];
  readonly missing: boolean;
  readonly flaky: boolean;
  readonly sources: readonly string[] | undefined;
  readonly environment: readonly string[];
  readonly judges: readonly string[];
  readonly fewer: boolean;
  readonly report: {
    readonly readable: boolean;
    readonly cases: Readonly<Record<string, 'passed' | 'failed' | 'skipped' | 'flaky'>>;
    readonly adds: boolean;
    readonly golden: boolean;
    readonly ux: 'info' | 'error' | null;
  } | null;
  readonly review: 'silent' | 'approve' | 'needs-changes' | null;
  readonly window: readonly {
    readonly evaluation: boolean;
    readonly status: PlannerStatus;
    readonly contradiction: boolean;
    readonly codes: readonly string[];
    readonly sameFiles: boolean;
  }[];
  readonly refinement: { readonly spent: number; readonly max: number } | null;
}

/** The situation as the runtime would write it down. */
export function envelopeOf(situation: Situation): PlannerInput {
  const { report: reported, review } = situation;
  const lines = [
    `intent: ${situation.intent}`,
    ...situation.claims.map((claim) => `claim: ${claim}`),
    ...(situation.blocker ? ['blocker: spec-gap | which code'] : []),
  ];
  const harness =
    reported === null
      ? null
      : report(reported.cases, {
          version: reported.readable ? '1.2.0' : '2.0.0',
          ...(reported.adds ? {} : { summary: { passed: 99, failed: 0, flaky: 0 } }),
          ...(reported.golden ? { proposed_goldens: ['g.png'] } : {}),
          ...(reported.ux === null ? {} : { ux_flags: [{ severity: reported.ux }] }),
        });
  return envelope(
    {
      transcript_summary: lines.join('\n'),
      workspace_diff_summary: situation.changed
        ? 'files: 1 insertions: 1 deletions: 0\nA src/a.ts +1 -0\nfingerprint: aaaa'
        : 'no changes\nfingerprint: aaaa',
      policy_events: situation.events.map((kind) => `${kind}: x`),
      harness_report: harness,
      ...(situation.runChanged === undefined ? {} : { run_changed: situation.runChanged }),
      review:
        review === null
          ? null
          : {
              expected: true,
              verdict: review === 'silent' ? null : review,
              findings: review === 'needs-changes' ? [{ id: 'F1', summary: 'no test' }] : [],
            },
      validation: {
        mechanical_outcome: situation.outcome,
        exit_codes: { ...situation.exitCodes },
        timeouts: [...situation.timeouts],
        ...(situation.missing ? { missing_artifacts: ['r.json'] } : {}),
        ...(situation.flaky ? { flaky: ['tests'] } : {}),
        ...(situation.sources === undefined ? {} : { report_sources: [...situation.sources] }),
        environment_failures: [...situation.environment],
        judge_changed: [...situation.judges],
        fewer_checks: situation.fewer ? { base: 2, now: 1, missing: ['b'], skipped: [] } : null,
      },
    },
    {
      provenance_window: situation.window.map(({ evaluation, status, contradiction, codes, sameFiles }) => ({
        step_id: 'earlier',
        opcode: evaluation ? 'EVALUATE' : 'RUN_AGENT',
        status,
        diff_summary: `no changes\nfingerprint: ${sameFiles ? 'aaaa' : 'bbbb'}`,
        risk_flags: contradiction ? ['flaky_checks', 'transcript_workspace_mismatch'] : ['flaky_checks'],
        blocker_codes: [...codes],
      })),
      refinement: situation.refinement,
    },
  );
}

interface Match {
  readonly status: PlannerStatus;
  readonly flag?: string;
  readonly codes: readonly string[];
  readonly contradiction?: boolean;
}

const FLAG_ORDER = [
  'policy_violation',
  'report_execution_mismatch',
  'repeated_contradiction',
  'proposed_goldens_present',
  'judge_changed',
  'fewer_checks',
  'nothing_changed',
  'ux_error',
  'repeated_partial_loop',
  'refinement_spent',
  'missing_artifact',
  'transcript_workspace_mismatch',
  'ux_flags_present',
  'flaky_checks',
];
const WORST_FIRST: readonly PlannerStatus[] = ['unsafe', 'needs_human', 'blocked', 'partial'];

export interface Expected {
  readonly status: PlannerStatus;
  readonly flags: readonly string[];
  /** Sorted. */
  readonly codes: readonly string[];
}

export function decideByPage(situation: Situation): Expected {
  const plain = matchesOfEvidence(situation);
  const all = [...plain, ...escalations(situation, plain)];
  const status = statusOf(all);
  const raised = all.flatMap(({ flag }) => flag ?? []);
  const flags = status === 'success' && situation.flaky ? ['flaky_checks'] : raised;
  return {
    status,
    flags: FLAG_ORDER.filter((flag) => flags.includes(flag)),
    codes: [...new Set(all.flatMap(({ codes }) => codes))].sort(),
  };
}

function statusOf(matches: readonly Match[]): PlannerStatus {
  return WORST_FIRST.find((status) => matches.some((match) => match.status === status)) ?? 'success';
}

function matchesOfEvidence(at: Situation): Match[] {
  const matches: Match[] = [];
  const match = (when: boolean, found: Match) => {
    if (when) matches.push(found);
  };
  const read = at.report?.readable === true ? at.report : null;
  const cases = read === null ? [] : Object.entries(read.cases);
  const failedCases = cases.filter(([, status]) => status === 'failed').map(([id]) => id);
  const red = Object.entries(at.exitCodes).flatMap(([id, code]) => (code === 0 ? [] : [id]));
  const validatorFailed = red.length + at.timeouts.length + failedCases.length > 0;
  const otherwisePassed = !validatorFailed && Object.keys(at.exitCodes).length > 0;
  const lastCodes = at.window.findLast(({ evaluation }) => evaluation)?.codes ?? [];
  const timeoutCodes = at.timeouts.map((id) => `validator_timeout:${id}`);
  const says = (claim: Situation['claims'][number]) => at.claims.includes(claim);

  match(at.events.includes('forbidden_path'), {
    status: 'unsafe',
    flag: 'policy_violation',
    codes: ['forbidden_path'],
  });
  const contradicting = red.filter(
    (id) => (at.sources === undefined || at.sources.includes(id)) && !at.environment.includes(id),
  );
  match(read !== null && failedCases.length === 0 && contradicting.length > 0, {
    status: 'unsafe',
    flag: 'report_execution_mismatch',
    codes: ['report_execution_mismatch'],
    contradiction: true,
  });
  match(read !== null && !read.adds, {
    status: 'unsafe',
    flag: 'report_execution_mismatch',
    codes: ['report_inconsistent'],
    contradiction: true,
  });
  match(at.report?.golden === true, {
    status: 'needs_human',
    flag: 'proposed_goldens_present',
    codes: ['goldens_need_approval'],
  });
  match(at.events.includes('requires_approval'), { status: 'needs_human', codes: ['approval_required'] });
  match(read?.ux === 'error', { status: 'needs_human', flag: 'ux_error', codes: ['ux_error'] });
  match(at.judges.length > 0, { status: 'needs_human', flag: 'judge_changed', codes: ['judge_changed'] });
  match(at.fewer, { status: 'needs_human', flag: 'fewer_checks', codes: ['fewer_checks'] });
  match(at.missing || at.review === 'silent', {
    status: 'blocked',
    flag: 'missing_artifact',
    codes: ['missing_artifact'],
    contradiction: otherwisePassed,
  });
  match(at.report?.readable === false, { status: 'blocked', codes: ['unsupported_report'] });
  match(at.outcome !== 'completed' && !validatorFailed && !at.missing, {
    status: 'blocked',
    codes: ['validation_unusable'],
  });
  match(at.environment.length > 0, { status: 'blocked', codes: ['environment'] });
  const again = timeoutCodes.filter((code) => lastCodes.includes(code));
  match(again.length > 0, { status: 'blocked', codes: again });
  match(at.blocker && !at.changed, { status: 'blocked', codes: ['spec-gap'] });
  match(red.length + failedCases.length > 0, {
    status: 'partial',
    codes: [...red.map((id) => `validator_failed:${id}`), ...failedCases.map((id) => `case_failed:${id}`)],
  });
  match(timeoutCodes.length > 0, { status: 'partial', codes: timeoutCodes });
  const mismatch = {
    status: 'partial',
    flag: 'transcript_workspace_mismatch',
    contradiction: true,
  } as const;
  match(at.intent === 'implementation' && (says('implemented') || says('fixed')) && !at.changed, {
    ...mismatch,
    codes: ['empty_diff'],
  });
  match(says('tests_pass') && validatorFailed, { ...mismatch, codes: ['false_claim'] });
  match(says('created gone.ts') || (says('created src/a.ts') && !at.changed), {
    ...mismatch,
    codes: ['false_claim'],
  });
  match(read?.ux === 'info', { status: 'partial', flag: 'ux_flags_present', codes: ['ux_flags'] });
  match(at.blocker && at.changed, { status: 'partial', codes: ['spec-gap'] });
  match(at.review === 'needs-changes', { status: 'partial', codes: ['review_finding:F1'] });
  return matches;
}

function escalations(at: Situation, plain: readonly Match[]): Match[] {
  const wouldBe = statusOf(plain);
  const evaluations = at.window.filter(({ evaluation }) => evaluation);
  const previous = evaluations.at(-1);
  const matches: Match[] = [];
  const contradictions = plain.filter(({ contradiction }) => contradiction === true);
  if (contradictions.length > 0 && at.window.some(({ contradiction }) => contradiction))
    matches.push({
      status: 'unsafe',
      flag: 'repeated_contradiction',
      codes: contradictions.flatMap(({ codes }) => codes),
    });
  if (wouldBe === 'success' && at.intent === 'implementation' && at.runChanged === false)
    matches.push({ status: 'needs_human', flag: 'nothing_changed', codes: ['nothing_changed'] });
  const lastTwo = evaluations.slice(-2).map(({ status }) => status);
  if (wouldBe === 'partial' && lastTwo.join() === 'partial,partial')
    matches.push({ status: 'needs_human', flag: 'repeated_partial_loop', codes: ['repeated_partial'] });
  const again = plain.flatMap(({ codes }) => codes).filter((code) => previous?.codes.includes(code) === true);
  if ((wouldBe === 'partial' || wouldBe === 'blocked') && again.length > 0 && previous?.sameFiles === true)
    matches.push({ status: 'needs_human', flag: 'repeated_partial_loop', codes: again });
  if (wouldBe === 'partial' && at.refinement !== null && at.refinement.spent >= at.refinement.max)
    matches.push({ status: 'needs_human', flag: 'refinement_spent', codes: ['refinement_spent'] });
  return matches;
}
