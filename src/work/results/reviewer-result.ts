import {
  type AgentReview,
  type AgentReviewComment,
  isWarning,
  type ReviewerResult,
  reviewerResultSchema,
  WARNING_PREFIX,
} from '../../contracts/work/work-results.ts';
import { parseForm } from './form-problems.ts';
import { hasContent, type LabelPattern, normalizeText, readLabelled } from './labelled-text.ts';
import type { Checked, ContractProblem, ProblemCode } from './problem-codes.ts';

export function checkReviewerResult(value: unknown): Checked<ReviewerResult> {
  const form = parseForm(reviewerResultSchema, value, { role: 'WR301', 'review.verdict': 'WR302' });
  if (!form.ok) return form;
  const problems = [...checkSummary(form.value.review), ...checkComments(form.value.review)];
  return problems.length === 0 ? { ok: true, result: form.value } : { ok: false, problems };
}

function checkSummary({ summary }: AgentReview): readonly ContractProblem[] {
  if (summary.trim() !== '') return [];
  return [{ path: 'review.summary', code: 'WR308', message: 'the summary of the review is empty' }];
}

interface Finding {
  readonly index: number;
  readonly comment: AgentReviewComment;
}

function checkComments({ verdict, comments }: AgentReview): readonly ContractProblem[] {
  const findings = comments
    .map((comment, index) => ({ index, comment }))
    .filter(({ comment }) => !isWarning(comment));
  switch (verdict) {
    case 'approve':
      return findings.map(({ index, comment }) => ({
        path: `review.comments.${index}`,
        code: 'WR303',
        message: `the review approves, but comment ${index} (${placeOf(comment)}) is a finding: start it with ${WARNING_PREFIX}, or change the verdict`,
      }));
    case 'needs-changes':
      return findings.length > 0 ? findings.flatMap(checkFinding) : [createMissingFinding(comments.length)];
  }
}

function createMissingFinding(warnings: number): ContractProblem {
  const what = warnings === 0 ? 'no comment' : 'only warnings';
  return {
    path: 'review.comments',
    code: 'WR304',
    message: `the review needs changes, but has ${what}: add a comment that says what has to change`,
  };
}

type Component = 'what' | 'why' | 'fix';

const LABELS: readonly LabelPattern<Component>[] = [
  { label: 'what', pattern: "what(?:'s wrong|’s wrong| is wrong)?", inline: true },
  { label: 'why', pattern: 'why(?: (?:it|this) matters)?', inline: true },
  { label: 'fix', pattern: '(?:(?:suggested|proposed|how to) )?fix', inline: true },
];

const COMPONENTS: readonly (readonly [Component, ProblemCode, string])[] = [
  ['what', 'WR305', 'has no What: the file, line or criterion with the issue'],
  ['why', 'WR306', 'has no Why: the spec, convention or criterion that is violated'],
  ['fix', 'WR307', 'has no Fix: how to resolve the issue'],
];

function checkFinding({ index, comment }: Finding): readonly ContractProblem[] {
  const parts = readLabelled(normalizeText(comment.body), LABELS);
  return COMPONENTS.filter(
    ([component]) => !parts.some(({ label, text }) => label === component && hasContent(text)),
  ).map(([, code, message]) => ({
    path: `review.comments.${index}.body`,
    code,
    message: `comment ${index} (${placeOf(comment)}) ${message}`,
  }));
}

function placeOf({ path, line }: AgentReviewComment): string {
  return line === null ? path : `${path}:${line}`;
}
