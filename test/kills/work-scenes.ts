import type { PlannerResult } from '../../src/contracts/work/work-results.ts';
import type { RoleState } from '../../src/ports/work/role-runner.ts';
import type { WorkCommand } from '../../src/work/engine/command.ts';
import type { RoleEnd } from '../../src/work/engine/role.ts';
import type { Step } from './work-hand.ts';

export interface Change {
  readonly base: string;
  readonly patch: string;
}

/** What the repository of a suite holds: patches that an implementor may have made. */
export interface Material {
  readonly first: Change;
  readonly later: Change;
}

/** Things that are done one after the other, each in a state that the ones before it have left. */
export interface Scene {
  /** The scene that comes before it; null for a repository without work items. */
  readonly after: string | null;
  /** What git does before anything else. */
  readonly git?: readonly string[];
  readonly runs?: Readonly<Record<string, RoleState>>;
  readonly steps: readonly Step[];
}

const LABELS = ['task:implement', 'status:pending', 'priority:high', 'complexity:low'];
const SPEC = { filePath: 'docs/specs/a.md', blobSHA: 'a'.repeat(40), frontmatterStatus: 'approved' } as const;

function bodyOf(path: string): string {
  return `## Objective

Change ${path}.

## Spec Reference

- Spec: \`docs/specs/a.md\`
- Section(s): All

## Scope

### In Scope

- ${path}

### Out of Scope

- other.txt

## Acceptance Criteria

- [ ] It is changed

## Context

None.

## Constraints

None.
`;
}

const planned = (tempID: string, blockedBy: readonly string[] = []) => ({
  tempID,
  title: `Item ${tempID}`,
  body: bodyOf(`${tempID}.txt`),
  labels: LABELS,
  blockedBy: [...blockedBy],
});

const plan = (...create: PlannerResult['create']): PlannerResult => ({
  role: 'planner',
  create,
  close: [],
  update: [],
});

const accept = (runId: string, role: 'implementor' | 'reviewer'): WorkCommand => ({
  kind: 'accept_run',
  runId,
  role,
  itemId: '1',
  specs: [],
  revisionId: role === 'reviewer' ? 'r1' : null,
});

const ended = (end: RoleEnd): RoleState => ({ kind: 'ended', end });

const implementor = (
  outcome: 'completed' | 'blocked' | 'validation-failure',
  summary: string,
  { base, patch }: Change,
): RoleState =>
  ended({
    ok: true,
    base,
    result: { role: 'implementor', outcome, summary, patch: outcome === 'completed' ? patch : null },
  });

const reviewer = (verdict: 'approve' | 'needs-changes', summary: string): RoleState =>
  ended({
    ok: true,
    result: {
      role: 'reviewer',
      review: {
        verdict,
        summary,
        comments: [{ path: 'file.txt', line: 1, body: '[Warning] What: a. Why: b. Fix: c.' }],
      },
    },
  });

/** Every command that writes, and what leads up to it. */
export function scenesOf({ first, later }: Material): Readonly<Record<string, Scene>> {
  const merge: WorkCommand = { kind: 'merge', itemId: '1' };
  return {
    items: {
      after: null,
      steps: [
        {
          kind: 'apply_planner_result',
          runId: 'by hand',
          specs: [],
          result: plan(planned('a')),
        },
        'recover',
      ],
    },
    'a planner at work': {
      after: 'items',
      steps: [
        { kind: 'apply_planner_result', runId: 'by hand', specs: [], result: plan(planned('b', ['1'])) },
        {
          kind: 'accept_run',
          runId: 'plan',
          role: 'planner',
          itemId: null,
          specs: [SPEC],
          revisionId: null,
        },
      ],
    },
    'a plan with creates, links, a close and an update': {
      after: 'a planner at work',
      runs: {
        plan: ended({
          ok: true,
          result: {
            role: 'planner',
            // The first is blocked by one that comes after it.
            create: [planned('x', ['y', '1']), planned('y', ['1'])],
            close: ['2'],
            update: [
              {
                workItemID: '1',
                body: bodyOf('new.txt'),
                labels: [...LABELS.filter((label) => label !== 'status:pending'), 'extra'],
              },
            ],
          },
        }),
      },
      steps: ['recover'],
    },
    'the acceptance of a run': { after: 'items', steps: [accept('do', 'implementor'), 'recover'] },
    'an implementation': {
      after: 'the acceptance of a run',
      runs: { do: implementor('completed', 'Scope correction: b.txt\nDone.', first) },
      steps: ['recover'],
    },
    'an implementor that is blocked': {
      after: 'the acceptance of a run',
      runs: { do: implementor('blocked', 'Type: spec-gap', first) },
      steps: ['recover'],
    },
    'an implementor whose validation failed': {
      after: 'the acceptance of a run',
      runs: { do: implementor('validation-failure', 'The step test failed.', first) },
      steps: ['recover'],
    },
    'a patch that does not apply': {
      after: 'the acceptance of a run',
      runs: {
        do: implementor('completed', 'Done.', { ...first, patch: first.patch.replace('start', 'end') }),
      },
      steps: ['recover'],
    },
    'a run that is lost': {
      after: 'the acceptance of a run',
      runs: { do: { kind: 'lost', reason: 'its process is gone' } },
      steps: ['recover'],
    },
    'a run that a person cancels': {
      after: 'the acceptance of a run',
      steps: [{ kind: 'cancel_run', itemId: '1' }, 'recover'],
    },
    'the checks of a revision': { after: 'an implementation', steps: ['settle', 'recover'] },
    'a reviewer at work': { after: 'the checks of a revision', steps: [accept('look', 'reviewer')] },
    'a review that approves': {
      after: 'a reviewer at work',
      runs: { look: reviewer('approve', 'Good.') },
      steps: ['recover'],
    },
    'a review that asks for changes': {
      after: 'a reviewer at work',
      runs: { look: reviewer('needs-changes', 'Not yet.') },
      steps: ['recover'],
    },
    "a person's transition": {
      after: 'a review that asks for changes',
      steps: [{ kind: 'transition', itemId: '1', to: 'closed', reason: 'not needed' }, 'recover'],
    },
    'a second try at work': {
      after: 'a review that asks for changes',
      steps: [
        { kind: 'transition', itemId: '1', to: 'pending', reason: 'once more' },
        'recover',
        accept('redo', 'implementor'),
      ],
    },
    'a later revision while somebody has the branch': {
      after: 'a second try at work',
      git: ['checkout', '--quiet', 'conductor/item/1'],
      runs: { redo: implementor('completed', 'Done again.', later) },
      steps: ['recover'],
    },
    'a second reviewer at work': {
      after: 'a later revision while somebody has the branch',
      steps: ['settle', 'recover', accept('look again', 'reviewer')],
    },
    'a review in the place of an earlier one': {
      after: 'a second reviewer at work',
      runs: { 'look again': reviewer('approve', 'Now it is good.') },
      steps: ['recover'],
    },
    'a merge into a checkout': { after: 'a review that approves', steps: [merge, 'recover'] },
    'a merge into a branch that is checked out nowhere': {
      after: 'a review that approves',
      git: ['checkout', '--quiet', '-b', 'topic'],
      steps: [merge, 'recover'],
    },
  };
}

/** Those that the short form leaves out: their commands are killed in others, too. */
export const LONG_ONLY: ReadonlySet<string> = new Set([
  'a patch that does not apply',
  'a run that a person cancels',
]);

/** Those that only lead up to others. */
export const PREPARATIONS: ReadonlySet<string> = new Set([
  'items',
  'a planner at work',
  'a reviewer at work',
  'a second try at work',
  'a second reviewer at work',
]);
