import type {
  FewerChecks,
  PlannerInput,
  ReviewFinding,
  WindowEntry,
} from '../../contracts/planner/planner-input.ts';
import {
  isSupportedVersion,
  type LooseHarnessReport,
  proposedGoldenSchema,
  type ReportCase,
  type SupportedReport,
  supportedReportSchema,
  type UxFlag,
} from '../../contracts/run/harness-report.ts';
import { type Intent, type MechanicalOutcome, VIOLATION_CLASSES } from '../../contracts/vocabulary.ts';
import { stripDotSlash } from '../../text/paths.ts';
import type { Claim } from '../claims/claim.ts';
import {
  type AgentBlocker,
  type DiffSummary,
  parseDiffSummary,
  parseTranscriptSummary,
} from '../summaries.ts';
import { CONTRADICTION_FLAGS } from './severity.ts';

/** An envelope, parsed once: the rows of the decision table read these facts, never the raw text. */
export interface Facts {
  readonly intent: Intent | null;
  readonly claims: readonly Claim[];
  readonly agentBlockers: readonly AgentBlocker[];
  readonly diff: DiffSummary;
  readonly outcome: MechanicalOutcome;
  readonly validatorIds: readonly string[];
  readonly failedValidators: readonly { readonly id: string; readonly exitCode: number }[];
  readonly timeouts: readonly string[];
  readonly failedCases: readonly ReportCase[];
  /** An exit code other than 0, a timeout or a failed case. */
  readonly hasValidationFailure: boolean;
  /** No failure of any kind, and at least one exit code known. */
  readonly hasPassingValidation: boolean;
  readonly artifacts: ReadonlySet<string>;
  readonly missingArtifacts: readonly string[];
  /** The subset of `missingArtifacts` that the validation itself reported. */
  readonly reportedMissing: readonly string[];
  readonly flaky: readonly string[];
  /** Command lines by validator id; null in envelopes that have none. */
  readonly commands: Readonly<Record<string, string>> | null;
  /** The end of the output by validator id. */
  readonly output: Readonly<Record<string, string>>;
  /** The validators whose reports make up the harness report; null where the envelope doesn't say. */
  readonly reportSources: readonly string[] | null;
  readonly regressions: ReadonlySet<string>;
  readonly judgeChanged: readonly string[];
  readonly fewerChecks: FewerChecks | null;
  readonly environmentFailures: readonly string[];
  /** Whether the workspace differs from the base; null where the envelope doesn't say. */
  readonly hasWorkspaceChanges: boolean | null;
  readonly report: ReportFacts;
  readonly proposedGoldens: readonly ProposedGolden[];
  readonly uxFlags: readonly UxFlag[];
  readonly violations: readonly PolicyEvent[];
  readonly approvalRequests: readonly PolicyEvent[];
  readonly isReviewVerdictMissing: boolean;
  readonly requestedChanges: readonly ReviewFinding[];
  readonly refinement: { readonly spent: number; readonly max: number } | null;
  readonly evaluations: readonly WindowEntry[];
  readonly previousEvaluation: WindowEntry | null;
  readonly wasContradictedBefore: boolean;
  readonly stepIntent: string | null;
}

export type ReportFacts =
  | { readonly kind: 'none' }
  | { readonly kind: 'unsupported'; readonly version: string }
  | { readonly kind: 'read'; readonly report: SupportedReport };

export interface PolicyEvent {
  readonly kind: string;
  readonly subject: string;
}

export interface ProposedGolden {
  readonly name: string;
  readonly evidenceRef: string | null;
}

const VIOLATION_KINDS: readonly string[] = [...VIOLATION_CLASSES, 'policy_violation'];

export function readFacts(envelope: PlannerInput): Facts {
  const { evidence, provenance_window: window } = envelope;
  const events = evidence.policy_events.map(parsePolicyEvent);
  const evaluations = window.filter((entry) => entry.opcode === 'EVALUATE');
  const report = readReport(evidence.harness_report ?? null);
  const review = evidence.review ?? null;
  const transcript = parseTranscriptSummary(evidence.transcript_summary);
  return {
    intent: transcript.intent,
    claims: transcript.claims,
    agentBlockers: transcript.blockers,
    diff: parseDiffSummary(evidence.workspace_diff_summary),
    ...readValidation(envelope, report),
    ...readValidatorDetails(envelope),
    hasWorkspaceChanges: evidence.run_changed ?? null,
    report,
    proposedGoldens: (evidence.harness_report?.proposed_goldens ?? []).map(readProposedGolden),
    uxFlags: report.kind === 'read' ? (report.report.ux_flags ?? []) : [],
    violations: events.filter((event) => VIOLATION_KINDS.includes(event.kind)),
    approvalRequests: events.filter((event) => event.kind === 'requires_approval'),
    isReviewVerdictMissing: review?.expected === true && (review.verdict ?? null) === null,
    requestedChanges: review?.verdict === 'needs-changes' ? (review.findings ?? []) : [],
    refinement: envelope.refinement ?? null,
    evaluations,
    previousEvaluation: evaluations.at(-1) ?? null,
    wasContradictedBefore: window.some((entry) =>
      entry.risk_flags.some((flag) => CONTRADICTION_FLAGS.includes(flag)),
    ),
    stepIntent: envelope.step_intent ?? null,
  };
}

function readValidation({ evidence }: PlannerInput, report: ReportFacts) {
  const { validation } = evidence;
  const codes = Object.entries(validation.exit_codes);
  const failedValidators = codes
    .filter(([, exitCode]) => exitCode !== 0)
    .map(([id, exitCode]) => ({ id, exitCode }));
  const timeouts = [...new Set(validation.timeouts)];
  const failedCases =
    report.kind === 'read' ? report.report.cases.filter((item) => item.status === 'failed') : [];
  const hasValidationFailure = failedValidators.length + timeouts.length + failedCases.length > 0;
  const artifacts = new Set(evidence.artifacts.map(normalizePath));
  const reportedMissing = validation.missing_artifacts ?? [];
  const absent = (validation.required_artifacts ?? []).filter((name) => !artifacts.has(normalizePath(name)));
  return {
    outcome: validation.mechanical_outcome,
    validatorIds: codes.map(([id]) => id),
    failedValidators,
    timeouts,
    failedCases,
    hasValidationFailure,
    hasPassingValidation: !hasValidationFailure && codes.length > 0,
    artifacts,
    missingArtifacts: [...new Set([...reportedMissing, ...absent])],
    reportedMissing,
    flaky: validation.flaky ?? [],
  };
}

/**
 * Reads what the run knows about the validators beyond their exit codes: their commands and their results at the
 * base.
 */
function readValidatorDetails({ evidence: { validation } }: PlannerInput) {
  return {
    commands: validation.commands ?? null,
    output: validation.output ?? {},
    reportSources: validation.report_sources ?? null,
    regressions: new Set(validation.regressions ?? []),
    judgeChanged: [...new Set(validation.judge_changed ?? [])],
    fewerChecks: validation.fewer_checks ?? null,
    environmentFailures: [...new Set(validation.environment_failures ?? [])],
  };
}

/** Normalises a path as an agent or a validator wrote it, to compare it with others. */
export function normalizePath(path: string): string {
  return stripDotSlash(path.trim());
}

function readReport(report: LooseHarnessReport | null): ReportFacts {
  if (report === null) return { kind: 'none' };
  if (!isSupportedVersion(report.version)) {
    const version = report.version === undefined ? 'none' : JSON.stringify(report.version);
    return { kind: 'unsupported', version };
  }
  return { kind: 'read', report: supportedReportSchema.parse(report) };
}

/** In a report of another version an entry can have any shape; all that matters is that it exists. */
function readProposedGolden(entry: unknown): ProposedGolden {
  const parsed = proposedGoldenSchema.safeParse(entry);
  if (!parsed.success) return { name: 'unnamed', evidenceRef: null };
  if (typeof parsed.data === 'string') return { name: parsed.data, evidenceRef: null };
  const { golden_path: golden, id, proposed_path: proposed, diff_ref: ref } = parsed.data;
  return { name: golden ?? id ?? proposed ?? 'unnamed', evidenceRef: ref ?? null };
}

/** The class is matched case-insensitively so that a violation can't escape by its spelling. */
function parsePolicyEvent(text: string): PolicyEvent {
  const colon = text.indexOf(':');
  const kind = (colon === -1 ? text : text.slice(0, colon)).trim().toLowerCase();
  return { kind, subject: colon === -1 ? '' : text.slice(colon + 1).trim() };
}
