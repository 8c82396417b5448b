import type * as z from 'zod/mini';
import type { RunOutcome } from '../contracts/vocabulary.ts';
import {
  type ImplementorResult,
  implementorResultSchema,
  plannerResultSchema,
  type Role,
  reviewerResultSchema,
} from '../contracts/work-results.ts';
import type { RunEnd } from '../kernel/state.ts';
import type { RoleWords } from '../planner/role-words.ts';
import type { RoleEnd, RoleSubject } from './role.ts';

/** What a run left behind, as values: the same from a run that just ended and from its record years later. */
export interface RoleEvidence {
  readonly end: RunEnd;
  /** What the agent of the role gave back, unchecked; null where it gave nothing with a `role`. */
  readonly words: RoleWords | null;
  /** What was wrong with how it said it. */
  readonly notes: readonly string[];
  /** Whether an agent changed files. */
  readonly changed: boolean;
  /** Of the last validation. */
  readonly failedValidators: readonly FailedValidator[];
  /** In the words of the policy. */
  readonly violations: readonly string[];
  /** What a person said who rejected it. */
  readonly rejection: string | null;
  /** From the base of the item to the end of the run; null where the work could not be kept. */
  readonly patch: { readonly base: string; readonly text: string } | null;
}

export interface FailedValidator {
  readonly id: string;
  readonly outcome: string;
  readonly exitCode: number | null;
  /** Where its output is, relative to the run directory. */
  readonly see: string;
}

/** What a schema can't say, by role. Each problem is told in full. */
export interface RoleChecks {
  readonly planner: (result: unknown, items: Extract<RoleSubject, { role: 'planner' }>['items']) => Problems;
  readonly implementor: (result: unknown) => Problems;
  readonly reviewer: (result: unknown) => Problems;
}
type Problems = readonly string[];

/** Ends from which nothing is taken, whatever the agent says. */
const BROKEN: readonly RunOutcome[] = ['unsafe', 'policy', 'budget', 'error', 'cancelled'];

/** What an agent may write besides the result, for the runtime. */
const RUNNER_KEYS: readonly string[] = ['final', 'claims', 'blockers', 'usage', 'failure', 'result'];

/** Decides what a run came to: a result that can be applied, or why there is none. */
export function roleResultOf(subject: RoleSubject, evidence: RoleEvidence, checks: RoleChecks): RoleEnd {
  const { words, end } = evidence;
  const says = words?.role === 'implementor' ? `says ${String(words.outcome)}, but ` : '';
  if (BROKEN.includes(end.outcome)) return refuse(`${says}${howItEnded(evidence)}`);
  if (words === null) return refuse([`the ${subject.role} left no result`, ...evidence.notes].join('; '));
  if (words.role !== subject.role)
    return refuse(`the ${subject.role} left the result of another role: ${JSON.stringify(words.role)}`);
  const plain = Object.fromEntries(Object.entries(words).filter(([key]) => !RUNNER_KEYS.includes(key)));
  switch (subject.role) {
    case 'planner':
      return fromReader(subject.role, plain, evidence, plannerResultSchema, (result) =>
        checks.planner(result, subject.items),
      );
    case 'reviewer':
      return fromReader(subject.role, plain, evidence, reviewerResultSchema, checks.reviewer);
    case 'implementor':
      return fromImplementor(plain, evidence, checks);
  }
}

/** Planner and reviewer only look. */
function fromReader<Result extends Extract<RoleEnd, { ok: true }>['result']>(
  role: Exclude<Role, 'implementor'>,
  plain: RoleWords,
  evidence: RoleEvidence,
  schema: z.ZodMiniType<Result>,
  check: (result: Result) => Problems,
): RoleEnd {
  if (evidence.changed) return refuse(`the ${role} changed files, and was only to look`);
  if (evidence.end.outcome !== 'success') return refuse(howItEnded(evidence));
  const read = fitting(schema, plain, check);
  if (!read.ok) return refuse(`the result of the ${role} breaks its contract: ${read.problems}`);
  const { result } = read;
  return result.role === 'implementor' ? refuse('a reader implements nothing') : { ok: true, result };
}

function fromImplementor(plain: RoleWords, evidence: RoleEvidence, checks: RoleChecks): RoleEnd {
  const completed = plain.outcome === 'completed';
  const patch = evidence.patch?.text ?? null;
  // The patch is never the agent's.
  const told = { ...plain, patch: completed && patch !== '' ? patch : null };
  if (completed) {
    const wrong = whyNotCompleted(evidence);
    if (wrong !== null) return refuse(`says completed, but ${wrong}`);
  }
  const read = fitting(implementorResultSchema, told, checks.implementor);
  if (!read.ok) return refuse(`the result of the implementor breaks its contract: ${read.problems}`);
  const result: ImplementorResult = read.result;
  return { ok: true, result, base: evidence.patch?.base ?? '' };
}

/** A person's approval makes a failed validation no passed one. */
function whyNotCompleted(evidence: RoleEvidence): string | null {
  const { failedValidators, end, patch } = evidence;
  if (failedValidators.length > 0) return failedValidators.map(toldOf).join('; ');
  if (end.outcome !== 'success') return howItEnded(evidence);
  if (patch === null) return 'its work could not be kept';
  return patch.text === '' ? 'no file changed' : null;
}

function toldOf({ id, outcome, exitCode, see }: FailedValidator): string {
  const how = exitCode === null ? `ended ${outcome}` : `exited ${exitCode}`;
  return `validator ${id} ${how}: see ${see}`;
}

function howItEnded({ end, violations, rejection }: RoleEvidence): string {
  const why = [
    ...violations,
    ...(rejection === null ? [] : [rejection]),
    ...(end.reason === null ? [] : [end.reason]),
  ];
  return `the run ended ${end.outcome}${why.length === 0 ? '' : `: ${why.join('; ')}`}`;
}

function fitting<Result>(
  schema: z.ZodMiniType<Result>,
  value: unknown,
  check: (result: Result) => Problems,
): { readonly ok: true; readonly result: Result } | { readonly ok: false; readonly problems: string } {
  const parsed = schema.safeParse(value);
  const problems = parsed.success ? check(parsed.data) : parsed.error.issues.map(toldIssue);
  if (parsed.success && problems.length === 0) return { ok: true, result: parsed.data };
  return { ok: false, problems: problems.join('; ') };
}

/** The schemas themselves have no words. */
function toldIssue(issue: z.core.$ZodIssue): string {
  const place = issue.path.length === 0 ? 'the result' : issue.path.map(String).join('.');
  switch (issue.code) {
    case 'unrecognized_keys':
      return `${place} has unknown keys: ${issue.keys.join(', ')}`;
    case 'invalid_type':
      return `${place}: expected ${issue.expected}`;
    case 'invalid_value':
      return `${place}: expected ${issue.values.map((value) => JSON.stringify(value)).join(' or ')}`;
    default:
      return `${place} does not fit`;
  }
}

function refuse(reason: string): RoleEnd {
  return { ok: false, reason };
}
