import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CliResult } from '../../testing/cli.ts';
import { createGitHubDouble, type GitHubDouble } from '../../testing/github/github-double.ts';
import type { Scene, SceneOptions } from './scene.ts';

export const FULL_NAME = 'octo/shop';
export const TOKEN_VARIABLE = 'SCENE_GITHUB_TOKEN';

export interface GitHubScene extends Scene {
  readonly double: GitHubDouble;
  /** The token of the account that conductor uses. */
  readonly token: string;
  readonly env: Readonly<Record<string, string>>;
  /** A command with the token in its environment. */
  readonly command: (...args: readonly string[]) => Promise<CliResult>;
  /** Runs a workflow of the repository; returns the id too. */
  readonly start: (...args: readonly string[]) => Promise<CliResult & { readonly runId: string }>;
  /** One call as a person. */
  readonly as: (login: string, method: string, path: string, body?: unknown) => Promise<unknown>;
}

/**
 * A scene whose repository is on GitHub, on loopback. conductor acts as `bot-account`, which is an ordinary account; ann may
 * write, stranger may read.
 */
export async function openGitHubScene(
  openScene: (options?: SceneOptions) => Promise<Scene>,
  options: SceneOptions = {},
): Promise<GitHubScene> {
  const double = await createGitHubDouble({ limits: { writesPerMinute: 1000 } });
  for (const login of ['octo', 'bot-account', 'ann', 'bob', 'stranger']) double.addUser({ login });
  double.addUser({ login: 'ann-bot[bot]', type: 'Bot' });
  const scene = await openScene({
    ...options,
    prepare: (repo) => repo.git('remote', 'add', 'origin', `${double.url}/${FULL_NAME}.git`),
  });
  await double.addRepository({
    fullName: FULL_NAME,
    collaborators: { 'bot-account': 'write', ann: 'write', bob: 'maintain', 'ann-bot[bot]': 'write' },
    from: scene.repo.root,
  });
  const folder = join(scene.home, '.config', 'conductor');
  await mkdir(folder, { recursive: true });
  await writeFile(
    join(folder, 'config.yaml'),
    `forge: { base_url: "${double.url}", token_env: ${TOKEN_VARIABLE} }\n`,
  );
  const token = double.tokenOf('bot-account');
  const env = { [TOKEN_VARIABLE]: token };
  const command = (...args: readonly string[]) => scene.cli.run([...args], { env });
  return {
    ...scene,
    double,
    token,
    env,
    command,
    start: async (...args) => {
      const result = await command('run', ...args);
      return { ...result, runId: result.stdout.split('\n')[0] ?? '' };
    },
    as: (login, method, path, body) => double.as(login, method, `/repos/${FULL_NAME}${path}`, body),
  };
}
