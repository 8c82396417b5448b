import { describe, expect, it } from 'vitest';
import type { Intent } from '../../../src/contracts/vocabulary.ts';
import { formatClaim, parseClaim } from '../../../src/planner/claims/claim.ts';
import { type AgentStatements, statementsToEvaluate } from '../../../src/planner/claims/standing-claims.ts';
import { parseDiffSummary } from '../../../src/planner/summaries.ts';

function statements(
  intent: Intent,
  claims: readonly string[],
  blockers: readonly string[] = [],
): AgentStatements {
  return {
    intent,
    claims: claims.map(parseClaim).filter((claim) => claim !== null),
    blockers: blockers.map((type) => ({ type, text: '' })),
    final: `last word of ${intent}`,
  };
}

const REVIEW = statements('review', ['fixed', 'tests_pass']);
const CHANGED = 'files: 1 insertions: 1 deletions: 0\nA src/a.ts +1 -0';

function evaluated(
  claims: readonly string[],
  change: string,
  after: readonly Intent[] = ['review'],
  last = REVIEW,
) {
  const earlier = {
    words: statements('implementation', claims, ['spec-gap']),
    change: parseDiffSummary(change),
    after,
  };
  const summary = statementsToEvaluate(last, earlier);
  return { ...summary, claims: summary.claims.map(formatClaim) };
}

describe('the message that an evaluation checks', () => {
  it('is that of the last agent if no other worked before it', () => {
    expect(statementsToEvaluate(REVIEW, null)).toEqual(REVIEW);
  });

  it.each<[string, string, string[]]>([
    ['implemented', CHANGED, []],
    ['fixed', CHANGED, []],
    ['created ./src/a.ts', CHANGED, []],
    ['created src/b.ts', CHANGED, ['created src/b.ts']],
    ['tests_pass', CHANGED, ['tests_pass']],
    ['created src/a.ts', 'no changes', ['created src/a.ts']],
  ])('keep %s of an earlier agent over %j as %j, beside those of the reviewer', (claim, change, kept) => {
    expect(evaluated([claim], change)).toEqual({
      intent: 'review',
      claims: [...kept, 'fixed', 'tests_pass'],
      blockers: [{ type: 'spec-gap', text: '' }],
      final: 'last word of review',
    });
  });

  it.each(['implemented', 'fixed'])('are the claim %s alone where nothing was changed', (claim) => {
    expect(evaluated([claim], 'no changes')).toMatchObject({
      intent: 'implementation',
      claims: [claim, 'tests_pass'],
    });
  });

  it('do not count tests against an agent that were written after it', () => {
    const harness = statements('harness', []);
    expect(evaluated(['tests_pass'], CHANGED, ['harness'], harness).claims).toEqual([]);
    expect(evaluated(['tests_pass'], CHANGED, ['analysis'], harness).claims).toEqual(['tests_pass']);
  });
});
