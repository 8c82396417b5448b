import { describe, expect, it } from 'vitest';
import type { RunOutcome } from '../../../src/contracts/vocabulary.ts';
import type { GivenItem, RoleSubject } from '../../../src/work/engine/role.ts';
import {
  determineResult,
  type RoleChecks,
  type RoleEvidence,
} from '../../../src/work/results/role-result.ts';

const ITEM: GivenItem = {
  item: {
    id: '7',
    title: 'Areas',
    status: 'in-progress',
    type: 'implement',
    priority: 'high',
    complexity: 'low',
    blockedBy: [],
    createdAt: '2026-01-01T00:00:00.000Z',
    linkedRevision: null,
  },
  body: '',
};

const NO_CHECKS: RoleChecks = { planner: () => [], implementor: () => [], reviewer: () => [] };
const BASE = 'b'.repeat(40);

function evidence(
  change: Partial<RoleEvidence> & { readonly outcome?: RunOutcome; reason?: string },
): RoleEvidence {
  const { outcome = 'success', reason = null, ...rest } = change;
  return {
    end: { lifecycle: 'completed', outcome, termination: 'success', reason },
    claimed: null,
    notes: [],
    changed: false,
    failedValidators: [],
    violations: [],
    rejection: null,
    patch: { base: BASE, text: 'diff --git a/a b/a\n' },
    ...rest,
  };
}

const implementor: RoleSubject = { role: 'implementor', item: ITEM };
const reviewer: RoleSubject = { role: 'reviewer', item: ITEM };
const planner: RoleSubject = { role: 'planner', items: [ITEM] };
const completed = { role: 'implementor', outcome: 'completed', summary: 'Done.' };
const blocked = { role: 'implementor', outcome: 'blocked', summary: 'Type: spec-gap' };
const approve = { role: 'reviewer', review: { verdict: 'approve', summary: 'Fine.', comments: [] } };
const plan = { role: 'planner', create: [], close: [], update: [] };

const reasonOf = (subject: RoleSubject, of: RoleEvidence, checks = NO_CHECKS) => {
  const end = determineResult(subject, of, checks);
  return end.ok ? 'accepted' : end.reason;
};

describe('the result of an implementor', () => {
  it('has the patch of the run, whatever the agent says of one', () => {
    const claimed = { ...completed, patch: 'rm -rf' };
    expect(determineResult(implementor, evidence({ claimed }), NO_CHECKS)).toEqual({
      ok: true,
      base: BASE,
      result: { ...completed, patch: 'diff --git a/a b/a\n' },
    });
  });

  it('has no patch where it is not completed', () => {
    expect(
      determineResult(implementor, evidence({ claimed: { ...blocked, patch: 'x' } }), NO_CHECKS),
    ).toMatchObject({
      ok: true,
      result: { outcome: 'blocked', patch: null },
    });
  });

  it('may include keys for the runtime', () => {
    const claimed = { ...completed, claims: ['fixed'], blockers: [], usage: {}, final: 'x' };
    expect(reasonOf(implementor, evidence({ claimed }))).toBe('accepted');
  });

  it.each<[RunOutcome, boolean]>([
    ['success', true],
    ['unverified', true],
    ['partial', true],
    ['blocked', true],
    ['needs_human', true],
    ['rejected', true],
    ['timed_out', true],
    ['unsafe', false],
    ['policy', false],
    ['budget', false],
    ['error', false],
    ['cancelled', false],
  ])('is taken as blocked from a run that ended %s: %s', (outcome, taken) => {
    const end = determineResult(implementor, evidence({ claimed: blocked, outcome }), NO_CHECKS);
    expect(end.ok).toBe(taken);
  });

  it.each<RunOutcome>([
    'unverified',
    'partial',
    'blocked',
    'needs_human',
    'rejected',
    'timed_out',
    'unsafe',
    'policy',
    'budget',
    'error',
    'cancelled',
  ])('is not completed where the run ended %s', (outcome) => {
    expect(reasonOf(implementor, evidence({ claimed: completed, outcome, reason: 'why' }))).toBe(
      `says completed, but the run ended ${outcome}: why`,
    );
  });

  it.each<[string, Partial<RoleEvidence> & { outcome?: RunOutcome }, string]>([
    [
      'a validator failed',
      {
        failedValidators: [
          { id: 'tests', outcome: 'completed', exitCode: 1, see: 'artifacts/v/validation.json' },
        ],
      },
      'says completed, but validator tests exited 1: see artifacts/v/validation.json',
    ],
    [
      'a validator was ended',
      { failedValidators: [{ id: 'tests', outcome: 'killed_timeout', exitCode: null, see: 'artifacts/v' }] },
      'says completed, but validator tests ended killed_timeout: see artifacts/v',
    ],
    ['nothing changed', { patch: { base: BASE, text: '' } }, 'says completed, but no file changed'],
    ['the work was lost', { patch: null }, 'says completed, but its work could not be stored'],
    [
      'a rule was broken',
      { outcome: 'unsafe', violations: ['src/x may not change'] },
      'says completed, but the run ended unsafe: src/x may not change',
    ],
    [
      'a person said no',
      { outcome: 'rejected', rejection: 'rejected by ann: not now' },
      'says completed, but the run ended rejected: rejected by ann: not now',
    ],
  ])('is not completed where %s', (_, change, reason) => {
    expect(reasonOf(implementor, evidence({ claimed: completed, ...change }))).toBe(reason);
  });

  it.each<[string, RoleEvidence['claimed'], readonly string[], string]>([
    ['there is none', null, [], 'the implementor returned no result'],
    [
      'its file was no JSON',
      null,
      ['the result file is ignored: it is not JSON'],
      'the implementor returned no result; the result file is ignored: it is not JSON',
    ],
    ['it is of another role', approve, [], 'the implementor returned the result of another role: "reviewer"'],
  ])('is missing where %s', (_, claimed, notes, reason) => {
    expect(reasonOf(implementor, evidence({ claimed, notes }))).toBe(reason);
  });

  it.each([
    [
      'an outcome that nobody knows',
      { ...blocked, outcome: 'done' },
      'outcome: expected "completed" or "blocked" or "validation-failure"',
    ],
    ['no summary', { role: 'implementor', outcome: 'blocked' }, 'summary: expected string'],
    ['a key that nobody knows', { ...blocked, mood: 'good' }, 'the result has unknown keys: mood'],
  ])('breaks its contract with %s', (_, claimed, problem) => {
    expect(reasonOf(implementor, evidence({ claimed }))).toBe(
      `the result of the implementor breaks its contract: ${problem}`,
    );
  });

  it('quotes every problem that the check finds', () => {
    const checks = { ...NO_CHECKS, implementor: () => ['no options', 'no impact'] };
    expect(reasonOf(implementor, evidence({ claimed: blocked }), checks)).toBe(
      'the result of the implementor breaks its contract: no options; no impact',
    );
  });
});

describe('the result of a planner or reviewer', () => {
  it.each<[string, RoleSubject, Record<string, unknown>]>([
    ['a planner', planner, plan],
    ['a reviewer', reviewer, approve],
  ])('is that of %s', (_, subject, claimed) => {
    expect(determineResult(subject, evidence({ claimed, patch: null }), NO_CHECKS)).toEqual({
      ok: true,
      result: claimed,
    });
    expect(reasonOf(subject, evidence({ claimed, changed: true }))).toBe(
      `the ${subject.role} changed files, but may only read them`,
    );
    expect(reasonOf(subject, evidence({ claimed, outcome: 'blocked' }))).toBe('the run ended blocked');
    expect(reasonOf(subject, evidence({ claimed: completed }))).toBe(
      `the ${subject.role} returned the result of another role: "implementor"`,
    );
  });

  it('is checked against the existing items', () => {
    const checks: RoleChecks = {
      ...NO_CHECKS,
      planner: (_result, items) => items.map(({ item }) => item.id),
    };
    expect(reasonOf(planner, evidence({ claimed: plan }), checks)).toBe(
      'the result of the planner breaks its contract: 7',
    );
  });

  it('is checked as a review', () => {
    const checks: RoleChecks = { ...NO_CHECKS, reviewer: () => ['comments.0 has no Fix'] };
    expect(reasonOf(reviewer, evidence({ claimed: approve }), checks)).toBe(
      'the result of the reviewer breaks its contract: comments.0 has no Fix',
    );
  });
});
