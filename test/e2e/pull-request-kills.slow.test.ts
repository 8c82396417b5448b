import { readdirSync, readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect } from 'vitest';
import type { Fault } from '../../testing/github/faults.ts';
import { FULL_NAME, type GitHubScene, openGitHubScene } from './github-scene.ts';
import { fixture, test } from './scene.ts';

const doubles: GitHubScene['double'][] = [];
afterEach(async () => {
  for (const double of doubles.splice(0)) await double.close();
});

type Kill = Pick<Fault, 'operation' | 'writes' | 'when'>;

const both = (operation: string): readonly Kill[] => [
  { operation, when: 'before' },
  { operation, when: 'after' },
];
const push = (when: Kill['when']): Kill => ({ operation: 'git', writes: true, when });

/** In the order of the command's calls. A git whose conductor is killed may still push, so its end is killed in a run of its own. */
const KILLS: readonly (readonly Kill[])[] = [
  [
    ...both('repos/get'),
    ...both('users/get-authenticated'),
    ...both('pulls/list'),
    ...both('git/get-ref'),
    push('before'),
    ...both('pulls/create'),
    ...both('repos/list-commit-statuses-for-ref'),
    ...both('repos/create-commit-status'),
  ],
  [push('after'), { operation: 'pulls/get', when: 'after' }],
];

describe('conductor pr', () => {
  test('killed before and after every call to GitHub leaves one branch, one pull request and one status', async ({
    openScene,
  }) => {
    const scene = await openGitHubScene(openScene);
    doubles.push(scene.double);
    const seen: string[] = [];
    for (const [at, kills] of KILLS.entries()) {
      const { runId } = await scene.start(fixture('success'));
      const survived: Kill[] = [];
      for (const kill of kills) {
        const started = scene.cli.start(['pr', runId], { env: scene.env });
        const run = () => {
          seen.push(...argumentsWith(scene.token));
          process.kill(started.pid, 'SIGKILL');
        };
        scene.double.addFault({ ...kill, effect: { kind: 'run', run } });
        if ((await started.done).signal !== 'SIGKILL') survived.push(kill);
        scene.double.clearFaults();
      }
      expect(survived).toEqual([]);
      expect(await scene.command('pr', runId)).toMatchObject({ code: 0 });
      const { pulls, statuses, bare } = scene.double.findRepository(FULL_NAME);
      const { branch_name: branch, head_sha: head } = scene.record(runId).metadata.workspace;
      expect([...pulls.values()].slice(at)).toMatchObject([
        { number: at + 1, headRef: branch, headSha: head },
      ]);
      expect(statuses.slice(at)).toMatchObject([{ sha: head, state: 'success' }]);
      expect((await bare.branches()).get(branch)).toBe(head);
      const { eventsOf, metadata } = scene.record(runId);
      expect(eventsOf('run_published')).toHaveLength(1);
      expect(metadata.pr_url).toBe(`${scene.double.url}/${FULL_NAME}/pull/${at + 1}`);
      expect((await scene.command('verify', runId)).code).toBe(0);
    }
    expect(seen).toEqual([]);
    for (const folder of [scene.repo.root, scene.home, scene.workspacesDir])
      expect(await filesWith(folder, scene.token)).toEqual([]);
  }, 300_000);
});

/** Processes of this machine whose arguments contain the text. */
function argumentsWith(text: string): readonly string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
        return line.includes(text) ? [line] : [];
      } catch {
        // The process has ended.
        return [];
      }
    });
}

async function filesWith(folder: string, text: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const found: string[] = [];
  for (const { parentPath, name } of entries.filter((entry) => entry.isFile())) {
    const path = join(parentPath, name);
    if ((await readFile(path)).includes(text)) found.push(path);
  }
  return found;
}
