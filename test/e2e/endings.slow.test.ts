import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { fixture, test } from './scene.ts';

interface Ending {
  readonly workflow: string;
  readonly sentence: string;
  readonly code: number;
  /** Lifecycle, outcome and termination, as in `final-state.txt`. */
  readonly state: string;
  readonly path: readonly string[];
  readonly reason: RegExp | null;
}

const ENDINGS: readonly Ending[] = [
  {
    workflow: 'success',
    sentence: 'work that its validation confirms is a success',
    code: 0,
    state: 'completed success success',
    path: ['implement', 'check', 'judge'],
    reason: null,
  },
  {
    workflow: 'partial',
    sentence: 'a failing test is partial',
    code: 4,
    state: 'blocked partial partial',
    path: ['implement', 'check', 'judge', 'incomplete'],
    reason: /^the answer is not right yet$/,
  },
  {
    workflow: 'blocked',
    sentence: 'a missing required artifact is blocked, by the default route too',
    code: 4,
    state: 'blocked blocked blocked',
    path: ['implement', 'check', 'judge'],
    reason: /coverage\.txt/,
  },
  {
    workflow: 'unsafe',
    sentence: 'a forbidden path is unsafe, and a rollback before the end does not hide it',
    code: 5,
    state: 'failed unsafe unsafe',
    path: ['implement', 'check', 'judge', 'undo'],
    reason: /\.tnh\/policies\/policy\.mine\.v1\.yaml/,
  },
  {
    workflow: 'needs-human',
    sentence: 'a usability error needs a human',
    code: 4,
    state: 'blocked needs_human needs_human',
    path: ['implement', 'check', 'judge'],
    reason: /unreadable/,
  },
  {
    workflow: 'unverified',
    sentence: "an agent's word alone is unverified",
    code: 7,
    state: 'completed unverified completed',
    path: ['implement'],
    reason: null,
  },
  {
    workflow: 'agent-killed-timeout',
    sentence: 'an agent past its time is killed',
    code: 1,
    state: 'failed error killed_timeout',
    path: ['implement'],
    reason: /0\.6 s/,
  },
  {
    workflow: 'agent-killed-idle',
    sentence: 'an agent that says nothing is killed',
    code: 1,
    state: 'failed error killed_idle',
    path: ['implement'],
    reason: /0\.4 s/,
  },
  {
    workflow: 'validator-killed-timeout',
    sentence: 'a validator past its time is killed',
    code: 1,
    state: 'failed error killed_timeout',
    path: ['check'],
    reason: /slow/,
  },
  {
    workflow: 'validator-killed-idle',
    sentence: 'a validator that says nothing is killed',
    code: 1,
    state: 'failed error killed_idle',
    path: ['check'],
    reason: /slow/,
  },
  {
    workflow: 'budget',
    sentence: 'more use than the budget allows ends the run',
    code: 6,
    state: 'failed budget budget',
    path: ['implement'],
    reason: /1200 tokens of 1000/,
  },
  {
    workflow: 'max-visits',
    sentence: 'a loop past its limit is a workflow error that names the loop',
    code: 1,
    state: 'failed error workflow_error',
    path: ['implement', 'check', 'implement', 'check'],
    reason: /implement -> check -> implement/,
  },
  {
    workflow: 'revision-cap',
    sentence: 'a revision that did not help needs a human once the cap is spent',
    code: 4,
    state: 'blocked needs_human needs_human',
    path: ['implement', 'check', 'judge', 'revise', 'check', 'judge'],
    reason: /1 of 1/,
  },
];

describe('how runs end', () => {
  for (const { workflow, sentence, code, state, path, reason } of ENDINGS)
    test.concurrent(`${sentence} (${workflow}: exit ${code})`, async ({ openScene }) => {
      const scene = await openScene();
      const run = await scene.run(workflow);
      expect(run).toMatchObject({ code, signal: null, stdout: `${run.runId}\n` });
      const record = scene.record(run.runId);
      expect(record.finalState).toBe(`${state}\n`);
      const [lifecycle_state, outcome, termination] = state.split(' ');
      expect(record.status).toMatchObject({ lifecycle_state, outcome, termination });
      expect(record.metadata).toMatchObject({ outcome, termination, workflow_id: workflow });
      expect(record.eventsOf('step_started').map((event) => event.step_id)).toEqual(path);
      expect(record.status.blocking_reason).toEqual(reason === null ? null : expect.stringMatching(reason));
    });
});

describe('the built command', () => {
  test('exits with the code of the ending, as a process', async ({ openScene }) => {
    const scene = await openScene();
    const run = await scene.cli.start(['run', fixture('partial')]).done;
    expect(run).toMatchObject({ code: 4, signal: null, stdout: `${scene.runIds()[0]}\n` });
  });
});

describe('what a run leaves', () => {
  test.concurrent('its work as one commit on a branch of its own and a patch, its document, and its use', async ({
    openScene,
  }) => {
    const scene = await openScene();
    const { runId } = await scene.run('success');
    const { metadata, path } = scene.record(runId);
    const { branch_name, base_sha, head_sha } = metadata.workspace;
    expect(await scene.repo.git('rev-list', `${base_sha}..${branch_name}`)).toBe(`${head_sha}\n`);
    expect(await scene.repo.git('show', `${branch_name}:answer.txt`)).toBe('42\n');
    expect(await scene.repo.git('diff', '--name-only', base_sha, branch_name)).toBe('answer.txt\n');
    expect(await readFile(join(path, 'diff.patch'), 'utf8')).toContain('+42');
    expect(await readFile(join(path, 'transcript.md'), 'utf8')).toContain('All tests pass.');
    const document = await readFile(join(path, 'workflow.yaml'));
    expect(document).toEqual(await readFile(fixture('success')));
    expect(metadata.workflow_digest).toBe(createHash('sha256').update(document).digest('hex'));
    expect(metadata.usage).toEqual({ input_tokens: 1200, output_tokens: null, cost_usd: 0.25 });
  });
});

describe('the revision loop', () => {
  test.concurrent('spends its one revision, says so, and passes the instructions on', async ({
    openScene,
  }) => {
    const scene = await openScene();
    const { runId } = await scene.run('revision-cap');
    const record = scene.record(runId);
    expect(record.status.refinement).toEqual({ spent: 1, max: 1 });
    expect(record.eventsOf('refinement_spent').map(({ payload }) => payload)).toEqual([
      { evaluate_step: 'judge', spent: 1, max: 1 },
    ]);
    const decisions = record.eventsOf('decision_recorded').map(({ payload }) => payload);
    expect(decisions.map(({ status }) => status)).toEqual(['partial', 'needs_human']);
    expect(decisions[1]?.risk_flags).toContain('refinement_spent');
    const inputs = JSON.parse(await readFile(join(record.path, 'artifacts/revise/inputs.json'), 'utf8'));
    expect(inputs.fix_instructions.verification).not.toEqual([]);
  });
});
