import type * as z from 'zod/mini';
import type { RunOutcome } from '../../contracts/vocabulary.ts';
import type { StackedOn } from '../../contracts/work/work-item.ts';
import {
  type ImplementorResult,
  implementorResultSchema,
  plannerResultSchema,
  type Role,
  reviewerResultSchema,
} from '../../contracts/work/work-results.ts';
import type { RunEnd } from '../../kernel/state.ts';
import type { RawRoleResult } from '../../planner/claims/role-claims.ts';
import type { RoleEnd, RoleSubject } from '../engine/role.ts';

/**
 * The evidence that a run left, as plain values: the same for a run that just ended and for an old record.
 */
export interface RoleEvidence {
  readonly end: RunEnd;
  /** The unchecked result of the role's agent; null if it returned none with a `role`. */
  readonly claimed: RawRoleResult | null;
  /** Problems with the format of its result. */
  readonly notes: readonly string[];
  /** Whether an agent changed files. */
  readonly changed: boolean;
  /** Failed validators of the last validation. */
  readonly failedValidators: readonly FailedValidator[];
  /** Policy violations, as messages. */
  readonly violations: readonly string[];
  /** The comment of a user who rejected it. */
  readonly rejection: string | null;
  /** From the base of the item to the end of the run; null if the work could not be stored. */
  readonly patch: {
    readonly base: string;
    readonly text: string;
    /** The revisions that `base` contains besides the default branch. */
    readonly stackedOn?: readonly StackedOn[];
  } | null;
}

export interface FailedValidator {
  readonly id: string;
  readonly outcome: string;
  readonly exitCode: number | null;
  /** The path of its output, relative to the run directory. */
  readonly see: string;
}

/** Checks by role that a schema can't express. They return all problems. */
export interface RoleChecks {
  readonly planner: (result: unknown, items: Extract<RoleSubject, { role: 'planner' }>['items']) => Problems;
  readonly implementor: (result: unknown) => Problems;
  readonly reviewer: (result: unknown) => Problems;
}
type Problems = readonly string[];

/** Outcomes from which no result is taken, whatever the agent says. */
const UNUSABLE_OUTCOMES: readonly RunOutcome[] = ['unsafe', 'policy', 'budget', 'error', 'cancelled'];

/** Keys that an agent may write besides the result, for the runtime. */
const RUNNER_KEYS: readonly string[] = ['final', 'claims', 'blockers', 'usage', 'failure', 'result'];

/** Determines the result of a run: one that can be applied, or why there is none. */
export function determineResult(subject: RoleSubject, evidence: RoleEvidence, checks: RoleChecks): RoleEnd {
  const { claimed, end } = evidence;
  const says = claimed?.role === 'implementor' ? `says ${String(claimed.outcome)}, but ` : '';
  if (UNUSABLE_OUTCOMES.includes(end.outcome)) return refuse(`${says}${describeEnd(evidence)}`);
  if (claimed === null)
    return refuse([`the ${subject.role} returned no result`, ...evidence.notes].join('; '));
  if (claimed.role !== subject.role)
    return refuse(`the ${subject.role} returned the result of another role: ${JSON.stringify(claimed.role)}`);
  const plain = Object.fromEntries(Object.entries(claimed).filter(([key]) => !RUNNER_KEYS.includes(key)));
  switch (subject.role) {
    case 'planner':
      return determineReaderResult(subject.role, plain, evidence, plannerResultSchema, (result) =>
        checks.planner(result, subject.items),
      );
    case 'reviewer':
      return determineReaderResult(subject.role, plain, evidence, reviewerResultSchema, checks.reviewer);
    case 'implementor':
      return determineImplementorResult(plain, evidence, checks);
  }
}

/** Planner and reviewer must not change files. */
function determineReaderResult<Result extends Extract<RoleEnd, { ok: true }>['result']>(
  role: Exclude<Role, 'implementor'>,
  plain: RawRoleResult,
  evidence: RoleEvidence,
  schema: z.ZodMiniType<Result>,
  check: (result: Result) => Problems,
): RoleEnd {
  if (evidence.changed) return refuse(`the ${role} changed files, but may only read them`);
  if (evidence.end.outcome !== 'success') return refuse(describeEnd(evidence));
  const read = checkResult(schema, plain, check);
  if (!read.ok) return refuse(`the result of the ${role} breaks its contract: ${read.problems}`);
  const { result } = read;
  return result.role === 'implementor'
    ? refuse(`the ${role} returned the result of an implementor`)
    : { ok: true, result };
}

function determineImplementorResult(
  plain: RawRoleResult,
  evidence: RoleEvidence,
  checks: RoleChecks,
): RoleEnd {
  const completed = plain.outcome === 'completed';
  const patch = evidence.patch?.text ?? null;
  // The patch comes from the workspace, never from the agent.
  const claimed = { ...plain, patch: completed && patch !== '' ? patch : null };
  if (completed) {
    const wrong = findCompletionProblem(evidence);
    if (wrong !== null) return refuse(`says completed, but ${wrong}`);
  }
  const read = checkResult(implementorResultSchema, claimed, checks.implementor);
  if (!read.ok) return refuse(`the result of the implementor breaks its contract: ${read.problems}`);
  const result: ImplementorResult = read.result;
  const stackedOn = evidence.patch?.stackedOn;
  const stack = stackedOn === undefined ? {} : { stackedOn };
  return { ok: true, result, base: evidence.patch?.base ?? '', ...stack };
}

/** The approval of a user does not turn a failed validation into a passed one. */
function findCompletionProblem(evidence: RoleEvidence): string | null {
  const { failedValidators, end, patch } = evidence;
  if (failedValidators.length > 0) return failedValidators.map(describeFailure).join('; ');
  if (end.outcome !== 'success') return describeEnd(evidence);
  if (patch === null) return 'its work could not be stored';
  return patch.text === '' ? 'no file changed' : null;
}

function describeFailure({ id, outcome, exitCode, see }: FailedValidator): string {
  const how = exitCode === null ? `ended ${outcome}` : `exited ${exitCode}`;
  return `validator ${id} ${how}: see ${see}`;
}

function describeEnd({ end, violations, rejection }: RoleEvidence): string {
  const why = [
    ...violations,
    ...(rejection === null ? [] : [rejection]),
    ...(end.reason === null ? [] : [end.reason]),
  ];
  return `the run ended ${end.outcome}${why.length === 0 ? '' : `: ${why.join('; ')}`}`;
}

function checkResult<Result>(
  schema: z.ZodMiniType<Result>,
  value: unknown,
  check: (result: Result) => Problems,
): { readonly ok: true; readonly result: Result } | { readonly ok: false; readonly problems: string } {
  const parsed = schema.safeParse(value);
  const problems = parsed.success ? check(parsed.data) : parsed.error.issues.map(describeIssue);
  if (parsed.success && problems.length === 0) return { ok: true, result: parsed.data };
  return { ok: false, problems: problems.join('; ') };
}

/** The schemas have no messages of their own. */
function describeIssue(issue: z.core.$ZodIssue): string {
  const place = issue.path.length === 0 ? 'the result' : issue.path.map(String).join('.');
  switch (issue.code) {
    case 'unrecognized_keys':
      return `${place} has unknown keys: ${issue.keys.join(', ')}`;
    case 'invalid_type':
      return `${place}: expected ${issue.expected}`;
    case 'invalid_value':
      return `${place}: expected ${issue.values.map((value) => JSON.stringify(value)).join(' or ')}`;
    default:
      return `${place} is invalid`;
  }
}

function refuse(reason: string): RoleEnd {
  return { ok: false, reason };
}
