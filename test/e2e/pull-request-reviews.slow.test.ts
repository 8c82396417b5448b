import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect } from 'vitest';
import { badGateway } from '../../testing/github/faults.ts';
import { FULL_NAME, type GitHubScene, openGitHubScene } from './github-scene.ts';
import { type SceneOptions, test } from './scene.ts';

const WORKFLOW = `workflow_id: reviewed
version: 1
description: A review decides.
entry_step: implement
steps:
  - id: implement
    opcode: RUN_AGENT
    agent: actor
    prompt: |
      lines
    limits: { max_visits: 3 }
    routes: { completed: check, error: STOP, killed_timeout: STOP, killed_idle: STOP, killed_policy: STOP }
  - id: check
    opcode: RUN_VALIDATION
    run: [tests]
    routes: { completed: review, error: STOP, killed_timeout: STOP, killed_idle: STOP, killed_policy: STOP }
  - id: review
    opcode: GATE
    gate: pull_request
    routes: { gate_approved: STOP, gate_rejected: implement }
`;
/** Writes its attempt into the work, and keeps the prompt that it was given. */
const AGENT = `import { readFileSync, writeFileSync } from 'node:fs';
const attempt = process.env.CONDUCTOR_ATTEMPT;
writeFileSync('answer.txt', '42\\n');
writeFileSync('notes.txt', \`one\\nattempt \${attempt}\\nend\\n\`);
writeFileSync(\`\${process.env.CONDUCTOR_RUN_DIR}/harness/prompt-\${attempt}.txt\`, readFileSync(0, 'utf8'));
console.log('done');
`;
const CONFIG = `agents:
  actor: { kind: command, command: [node, tools/agent.mjs] }
validators:
  tests: { command: [node, tools/check.mjs] }
publish: { when: success, draft: true }
`;

const doubles: GitHubScene['double'][] = [];
afterEach(async () => {
  for (const double of doubles.splice(0)) await double.close();
});

type OpenScene = Parameters<typeof openGitHubScene>[0];

async function open(openScene: OpenScene, options: SceneOptions = {}): Promise<GitHubScene> {
  const files = { 'reviewed.yaml': WORKFLOW, 'tools/agent.mjs': AGENT };
  const scene = await openGitHubScene(openScene, { config: CONFIG, files, ...options });
  doubles.push(scene.double);
  return scene;
}

const review = (scene: GitHubScene, login: string, body: object) =>
  scene.as(login, 'POST', '/pulls/1/reviews', body);
const typesOf = (scene: GitHubScene, runId: string) =>
  scene.record(runId).events.map(({ event_type: type }) => type);

describe('a gate that waits for a review of the pull request', () => {
  test('takes changes requested on two lines to the next attempt, updates the pull request, and ends with an approval', async ({
    openScene,
  }) => {
    const scene = await open(openScene);
    const { runId, code } = await scene.start('reviewed.yaml', '--trust');
    expect(code).toBe(3);
    expect(await scene.as('ann', 'GET', '/pulls/1')).toMatchObject({ draft: true, state: 'open' });
    expect(typesOf(scene, runId).filter((type) => type === 'run_published')).toHaveLength(1);
    // None of these is an answer: a stranger, a comment, a bot with a name like Ann's, the account of conductor.
    await review(scene, 'stranger', { event: 'APPROVE', body: 'Approved!' });
    await review(scene, 'ann', { event: 'COMMENT', body: 'LGTM, approved' });
    await review(scene, 'ann-bot[bot]', { event: 'APPROVE' });
    await expect(review(scene, 'bot-account', { event: 'APPROVE' })).rejects.toThrow('your own pull request');
    expect((await scene.command('resume', runId)).code).toBe(3);
    await review(scene, 'ann', {
      event: 'REQUEST_CHANGES',
      body: 'Two things.',
      comments: [
        { path: 'notes.txt', line: 2, body: 'Say which attempt.' },
        { path: 'notes.txt', line: 3, body: 'Drop the end.' },
      ],
    });
    expect((await scene.command('resume', runId)).code).toBe(3);
    const { events } = scene.record(runId);
    const rejected = events.find(({ event_type: type }) => type === 'gate_rejected');
    expect(rejected?.payload).toMatchObject({
      by: 'ann',
      comment: 'Two things.',
      from: { account: { login: 'ann' } },
      lines: [
        { path: 'notes.txt', line: 2, side: 'new', text: 'Say which attempt.' },
        { path: 'notes.txt', line: 3, side: 'new', text: 'Drop the end.' },
      ],
    });
    expect(events.find(({ event_type: type }) => type === 'human_feedback')?.payload).toMatchObject({
      lines: [{ line: 2 }, { line: 3 }],
    });
    const prompt = await readFile(join(scene.record(runId).path, 'harness/prompt-2.txt'), 'utf8');
    expect(prompt).toContain('notes.txt, line 2: Say which attempt.');
    expect(prompt).toContain('notes.txt, line 3: Drop the end.');
    const pull = (await scene.as('ann', 'GET', '/pulls/1')) as { head: { sha: string } };
    await review(scene, 'bob', { event: 'APPROVE', body: 'Good.' });
    expect((await scene.command('resume', runId)).code).toBe(0);
    const ended = scene.record(runId);
    expect(ended.metadata.outcome).toBe('success');
    // Another commit would take the approval away.
    expect(await scene.as('ann', 'GET', '/pulls/1')).toMatchObject({ head: { sha: pull.head.sha } });
    expect(ended.events.findLast(({ event_type: type }) => type === 'gate_approved')?.payload).toMatchObject({
      by: 'bob',
      comment: 'Good.',
    });
    expect(scene.double.findRepository(FULL_NAME).pulls.size).toBe(1);
    const states = scene.double.findRepository(FULL_NAME).statuses.map(({ state, sha }) => ({ state, sha }));
    expect(states.at(-1)).toEqual({ state: 'success', sha: pull.head.sha });
    expect((await scene.command('verify', runId)).code).toBe(0);
  });

  test('waits in one process with --wait, and a merge approves', async ({ openScene }) => {
    const scene = await open(openScene, { config: CONFIG.replace('draft: true', 'draft: false') });
    const { runId } = await scene.start('reviewed.yaml', '--trust');
    await scene.as('ann', 'PUT', '/pulls/1/merge', {});
    expect((await scene.command('resume', runId, '--wait')).code).toBe(0);
    const approved = scene.record(runId).events.find(({ event_type: type }) => type === 'gate_approved');
    expect(approved?.payload).toMatchObject({ by: 'ann', comment: 'pull request #1 was merged' });
  });

  test('is rejected by a person who closes the pull request', async ({ openScene }) => {
    const files = {
      'reviewed.yaml': WORKFLOW.replace('gate_rejected: implement', 'gate_rejected: STOP'),
      'tools/agent.mjs': AGENT,
    };
    const scene = await open(openScene, { files });
    const { runId } = await scene.start('reviewed.yaml', '--trust');
    await scene.as('ann', 'PATCH', '/pulls/1', { state: 'closed' });
    const ended = await scene.command('resume', runId);
    expect(ended.code).toBe(4);
    expect(scene.record(runId).metadata.outcome).toBe('rejected');
  });

  test('keeps waiting while the forge can’t be reached, says so, and counts no review of another commit', async ({
    openScene,
  }) => {
    const scene = await open(openScene);
    for (const effect of [badGateway, badGateway])
      scene.double.addFault({ operation: 'pulls/create', when: 'before', effect });
    const { runId, code } = await scene.start('reviewed.yaml', '--trust');
    expect(code).toBe(3);
    const notes = scene.record(runId).events.filter(({ event_type: type }) => type === 'status_updated');
    expect(JSON.stringify(notes)).toContain("the pull request can't be read or published");
    expect((await scene.command('resume', runId)).code).toBe(3);
    expect(scene.double.findRepository(FULL_NAME).pulls.size).toBe(1);
    const { bare } = scene.double.findRepository(FULL_NAME);
    const branch = scene.record(runId).metadata.workspace.branch_name;
    await bare.git('update-ref', `refs/heads/${branch}`, 'refs/heads/main');
    for (const pull of scene.double.findRepository(FULL_NAME).pulls.values())
      pull.headSha = (await bare.resolve('refs/heads/main')) ?? '';
    await review(scene, 'ann', { event: 'APPROVE' });
    expect((await scene.command('resume', runId)).code).toBe(3);
    expect(JSON.stringify(scene.record(runId).events)).toContain(
      'which the gate did not show: no review counts',
    );
  });
});
