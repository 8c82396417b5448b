import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect } from 'vitest';
import { badGateway, secondaryLimit } from '../../testing/github/faults.ts';
import { FULL_NAME, type GitHubScene, openGitHubScene, TOKEN_VARIABLE } from './github-scene.ts';
import { CONFIG, fixture, type SceneOptions, test } from './scene.ts';

const doubles: GitHubScene['double'][] = [];
afterEach(async () => {
  for (const double of doubles.splice(0)) await double.close();
});

type OpenScene = Parameters<typeof openGitHubScene>[0];

async function open(openScene: OpenScene, options?: SceneOptions): Promise<GitHubScene> {
  const scene = await openGitHubScene(openScene, options);
  doubles.push(scene.double);
  return scene;
}

const pullsOf = ({ double }: GitHubScene) => [...double.findRepository(FULL_NAME).pulls.values()];
const statusesOf = ({ double }: GitHubScene) => double.findRepository(FULL_NAME).statuses;

describe('conductor pr', () => {
  test('publishes a run as a draft with its evidence, and does nothing twice', async ({ openScene }) => {
    const scene = await open(openScene);
    const { runId, code } = await scene.start(fixture('success'), '--title', 'Answer the question');
    expect(code).toBe(0);
    const first = await scene.command('pr', runId);
    expect(first).toMatchObject({ code: 0, stdout: `${scene.double.url}/${FULL_NAME}/pull/1\n` });
    const again = await scene.command('pr', runId, '--json');
    expect(JSON.parse(again.stdout)).toMatchObject({ run_id: runId, number: 1, state: 'open', draft: true });
    const pull = (await scene.as('ann', 'GET', '/pulls/1')) as {
      title: string;
      body: string;
      head: { sha: string };
    };
    expect(pull).toMatchObject({ title: 'Answer the question', draft: true, user: { login: 'bot-account' } });
    for (const part of [
      '## Checks',
      '## Cost',
      `conductor verify ${runId}`,
      `<!-- conductor:run ${runId} -->`,
    ])
      expect(pull.body).toContain(part);
    expect(pull.head.sha).toBe(scene.record(runId).metadata.workspace.head_sha);
    expect(pullsOf(scene)).toHaveLength(1);
    expect(statusesOf(scene)).toMatchObject([{ context: 'conductor', state: 'success', sha: pull.head.sha }]);
    const { events, metadata, status } = scene.record(runId);
    const published = events.filter(({ event_type: type }) => type === 'run_published');
    expect(published).toMatchObject([{ payload: { url: first.stdout.trim() } }]);
    expect([metadata.pr_url, status.pr_url]).toEqual([first.stdout.trim(), first.stdout.trim()]);
    expect(await scene.command('verify', runId)).toMatchObject({ code: 0 });
    const writes = scene.double.requests.filter(({ isWrite, operation }) => isWrite && operation !== 'git');
    expect(writes.map(({ operation }) => operation)).toEqual(['pulls/create', 'repos/create-commit-status']);
  });

  test('keeps what people wrote, and closes the pull request with undo', async ({ openScene }) => {
    const scene = await open(openScene);
    const { runId } = await scene.start(fixture('success'));
    await scene.command('pr', runId);
    const { body } = (await scene.as('ann', 'GET', '/pulls/1')) as { body: string };
    const edited = `A note by Ann.\n\n${body.replace('## Cost', '## Price')}\n\nThe end.`;
    await scene.as('ann', 'PATCH', '/pulls/1', { title: 'Better', body: edited });
    await scene.command('pr', runId);
    expect(await scene.as('ann', 'GET', '/pulls/1')).toMatchObject({
      title: 'Better',
      body: `A note by Ann.\n\n${body}\n\nThe end.`,
    });
    expect(await scene.command('undo', runId, '--pr')).toMatchObject({ code: 0 });
    expect(await scene.as('ann', 'GET', '/pulls/1')).toMatchObject({ state: 'closed' });
    const closed = await scene.command('pr', runId);
    expect(closed).toMatchObject({ code: 1 });
    expect(closed.stderr).toContain('it was closed; reopen it on the forge');
    expect(pullsOf(scene)).toHaveLength(1);
  });

  test('adopts what took effect behind a 502, and names a secondary limit', async ({ openScene }) => {
    const scene = await open(openScene);
    const { runId } = await scene.start(fixture('success'));
    scene.double.addFault({ operation: 'pulls/create', when: 'after', effect: badGateway });
    scene.double.addFault({
      operation: 'repos/create-commit-status',
      when: 'before',
      effect: secondaryLimit(120),
    });
    const limited = await scene.command('pr', runId);
    expect(limited).toMatchObject({ code: 1 });
    expect(limited.stderr).toContain('the forge asks to slow down; waiting until');
    expect(await scene.command('pr', runId)).toMatchObject({ code: 0 });
    expect([pullsOf(scene).length, statusesOf(scene).length]).toEqual([1, 1]);
  });

  test('leaves a branch alone that was moved or deleted on the forge', async ({ openScene }) => {
    const scene = await open(openScene);
    const { runId } = await scene.start(fixture('success'));
    await scene.command('pr', runId);
    const branch = scene.record(runId).metadata.workspace.branch_name;
    const { bare } = scene.double.findRepository(FULL_NAME);
    await bare.git('update-ref', `refs/heads/${branch}`, 'refs/heads/main');
    const moved = await scene.command('pr', runId);
    expect(moved).toMatchObject({ code: 1 });
    expect(moved.stderr).toContain(`the branch ${branch} on the forge is not as conductor left it`);
    await bare.git('update-ref', '-d', `refs/heads/${branch}`);
    expect((await scene.command('pr', runId)).stderr).toContain('it was deleted');
  });

  test('names a wrong token, and a repository that is another one now', async ({ openScene }) => {
    const scene = await open(openScene);
    const { runId } = await scene.start(fixture('success'));
    const wrong = await scene.cli.run(['pr', runId], { env: { [TOKEN_VARIABLE]: 'ghp_wrong' } });
    expect(wrong).toMatchObject({ code: 1 });
    expect(wrong.stderr).toContain(`refused the token of ${TOKEN_VARIABLE}`);
    await scene.command('pr', runId);
    scene.double.renameRepository(FULL_NAME, 'store');
    const renamed = await scene.command('pr', runId);
    expect(renamed).toMatchObject({ code: 0 });
    expect(renamed.stderr).toContain('of octo/store');
    await scene.double.addRepository({ fullName: FULL_NAME, collaborators: { 'bot-account': 'write' } });
    const other = await scene.command('pr', runId);
    expect(other).toMatchObject({ code: 1 });
    expect(other.stderr).toContain('is now another repository');
  });

  test('happens by itself at the end of a run where `publish` says so, and a refusal changes no outcome', async ({
    openScene,
  }) => {
    const scene = await open(openScene, { config: `${CONFIG}publish: { when: success, draft: false }\n` });
    const { runId, code } = await scene.start(fixture('success'), '--trust');
    expect(code).toBe(0);
    expect(await scene.as('ann', 'GET', '/pulls/1')).toMatchObject({ draft: false, state: 'open' });
    expect(scene.record(runId).metadata.pr_url).toContain('/pull/1');
    const refused = await scene.cli.run(['run', fixture('success'), '--trust']);
    expect(refused.code).toBe(0);
    expect(refused.stderr).toContain('the pull request could not be published: there is no token for');
    expect(pullsOf(scene)).toHaveLength(1);
  });

  test('keeps the token out of every file, and out of the agent', async ({ openScene }) => {
    const config = `agents:
  actor: { kind: command, command: [node, tools/act.mjs], env: [${TOKEN_VARIABLE}, GH_TOKEN] }
validators:
  tests: { command: [node, tools/check.mjs] }
environment: [PATH, HOME, LANG, TERM, ${TOKEN_VARIABLE}]
`;
    const scene = await open(openScene, {
      config,
      files: { 'ask.yaml': oneStep('environment seen.json') },
    });
    const { runId } = await scene.start('ask.yaml', '--trust');
    expect(JSON.parse(await scene.inCheckout(runId, 'seen.json'))).not.toHaveProperty(TOKEN_VARIABLE);
    expect(await scene.command('pr', runId)).toMatchObject({ code: 0 });
    for (const folder of [scene.repo.root, scene.home, scene.workspacesDir])
      expect(await filesWith(folder, scene.token)).toEqual([]);
  });
});

function oneStep(prompt: string): string {
  return `workflow_id: ask
version: 1
description: One step.
entry_step: only
steps:
  - id: only
    opcode: RUN_AGENT
    agent: actor
    prompt: ${prompt}
    routes: { completed: STOP, error: STOP, killed_timeout: STOP, killed_idle: STOP, killed_policy: STOP }
`;
}

async function filesWith(folder: string, text: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const found = await Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map(async ({ parentPath, name }) => {
        const path = join(parentPath, name);
        return (await readFile(path)).includes(text) ? [path] : [];
      }),
  );
  return found.flat();
}
