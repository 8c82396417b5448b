import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { test as base, expect } from 'vitest';
import { type Cli, type CliResult, createCli } from '../../testing/cli.ts';
import { type CheckoutState, type GitRepo, makeRepo, readCheckout } from '../../testing/git-repo.ts';
import { markedProcesses } from './marked-processes.ts';
import { expectSoundRecord } from './record-check.ts';
import { auditRun } from './run-audit.ts';
import { type RunRecordOnDisk, readRun } from './run-record.ts';

const TOOLS = ['act.mjs', 'check.mjs', 'harness-writer.mjs'];

export const CONFIG = `agents:
  actor: { kind: command, command: [node, tools/act.mjs] }
  harness-writer: { kind: command, command: [node, tools/harness-writer.mjs] }
validators:
  tests: { command: [node, tools/check.mjs] }
`;

export interface SceneOptions {
  readonly config?: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly commit?: boolean;
  /** Off unless said: what is prevented can't be seen to be detected, and not every machine has a sandbox. */
  readonly sandbox?: 'auto' | 'required' | 'off';
  /** Where the configuration puts them, when it does. */
  readonly paths?: { readonly runs: string; readonly worktrees: string };
  /** Makes the checkout what a person left it as, before anything is compared. */
  readonly prepare?: (repo: GitRepo) => Promise<unknown>;
}

/** A repository and a person in front of it. */
export interface Scene {
  readonly repo: GitRepo;
  readonly cli: Cli;
  readonly home: string;
  /** `conductor run` of a fixture workflow; the first line on stdout is the run's id. */
  readonly run: (
    workflow: string,
    ...args: readonly string[]
  ) => Promise<CliResult & { readonly runId: string }>;
  readonly conductor: (...args: readonly string[]) => Promise<CliResult>;
  readonly runIds: () => readonly string[];
  readonly record: (runId: string) => RunRecordOnDisk;
  readonly worktree: (runId: string) => string;
  readonly inWorktree: (runId: string, path: string) => Promise<string>;
}

export function fixture(workflow: string): string {
  return fileURLToPath(new URL(`../fixtures/workflows/${workflow}.yaml`, import.meta.url));
}

/** A workflow of one agent step, for what needs no fixture of its own; the prompt is YAML as it stands. */
export function oneAgentStep(id: string, prompt: string): string {
  return `workflow_id: ${id}
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

/**
 * A test in which scenes are opened. After it, each scene's checkout must be as it was, its branches and
 * worktrees exactly those of its runs, its records sound, and no process of a run alive.
 */
export const test = base.extend<{ openScene: (options?: SceneOptions) => Promise<Scene> }>({
  openScene: async ({ task: _task }, use) => {
    const opened: { readonly scene: Scene; readonly before: CheckoutState | null }[] = [];
    try {
      await use(async (options = {}) => {
        const scene = await createScene(options);
        const before = options.commit === false ? null : await readCheckout(scene.repo.root);
        opened.push({ scene, before });
        return scene;
      });
      for (const { scene, before } of opened) if (before !== null) await inspect(scene, before);
    } finally {
      for (const { scene } of opened) await tearDown(scene);
    }
  },
});

async function createScene(options: SceneOptions): Promise<Scene> {
  const tools = await Promise.all(
    TOOLS.map(async (name) => [`tools/${name}`, await readFile(new URL(`tools/${name}`, import.meta.url))]),
  );
  const repo = await makeRepo({
    files: {
      ...Object.fromEntries(tools),
      'answer.txt': '?\n',
      'keep/old.txt': 'old\n',
      'image.bin': '\u0000\u0001binary\n',
      '.tnh/config.yaml': options.config ?? CONFIG,
      ...options.files,
    },
    commit: options.commit !== false,
  });
  await options.prepare?.(repo);
  const home = join(repo.root, '..', 'home');
  await mkdir(home);
  const env = { CONDUCTOR_SANDBOX: options.sandbox ?? 'off' };
  const cli = createCli({ cwd: repo.root, home, env });
  const paths = options.paths ?? { runs: '.tnh/run', worktrees: '.tnh/worktrees' };
  const runsDir = join(repo.root, paths.runs);
  const worktree = (runId: string) => join(repo.root, paths.worktrees, runId);
  return {
    repo,
    cli,
    home,
    worktree,
    conductor: (...args) => cli.run(args),
    run: async (workflow, ...args) => {
      const result = await cli.run(['run', fixture(workflow), ...args]);
      return { ...result, runId: result.stdout.split('\n')[0] ?? '' };
    },
    runIds: () =>
      existsSync(runsDir) ? readdirSync(runsDir).filter((name) => /^[0-9a-f-]{36}$/.test(name)) : [],
    record: (runId) => readRun(join(runsDir, runId)),
    inWorktree: (runId, path) => readFile(join(worktree(runId), path), 'utf8'),
  };
}

async function inspect(scene: Scene, before: CheckoutState): Promise<void> {
  const { repo } = scene;
  const runs = scene.runIds().map(scene.record);
  for (const run of runs) auditRun(run);
  for (const run of runs) await expectSoundRecord(run.path);
  expect(await readCheckout(repo.root)).toEqual(before);
  const worktrees = (await repo.git('worktree', 'list', '--porcelain'))
    .split('\n')
    .filter((line) => line.startsWith('worktree '))
    .map((line) => line.slice('worktree '.length));
  const ids = runs.map(({ metadata }) => metadata.run_id);
  expect(worktrees.sort()).toEqual([repo.root, ...ids.map(scene.worktree)].sort());
  const branches = (await repo.git('for-each-ref', '--format=%(refname:short)', 'refs/heads/conductor/'))
    .split('\n')
    .filter((line) => line !== '');
  expect(branches.sort()).toEqual(
    runs.map(({ metadata }) => `conductor/run/${metadata.workflow_id}/${metadata.run_id}`).sort(),
  );
  expect(ids.flatMap(markedProcesses)).toEqual([]);
}

async function tearDown(scene: Scene): Promise<void> {
  await scene.cli.endAll();
  for (const pid of scene.runIds().flatMap(markedProcesses)) process.kill(pid, 'SIGKILL');
  await rm(scene.home, { recursive: true, force: true });
  await scene.repo.cleanup();
}

/** Looks until there is something to see; the test's own time limit is the limit. */
export async function until<T>(look: () => T | null | undefined | false): Promise<T> {
  for (;;) {
    const seen = look();
    if (seen !== null && seen !== undefined && seen !== false) return seen;
    await pause(20);
  }
}

/** The pid that a process wrote into a file, once all of it is there. A file just made is empty, and 0 would be this process group. */
export function readPid(path: string): number | null {
  const pid = existsSync(path) ? Number(readFileSync(path, 'utf8')) : 0;
  return Number.isSafeInteger(pid) && pid > 0 ? pid : null;
}
