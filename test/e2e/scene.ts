import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { test as base, expect } from 'vitest';
import type { Cli, CliOptions, CliResult } from '../../testing/cli.ts';
import { type CheckoutState, type GitRepo, gitAt, makeRepo, readCheckout } from '../../testing/git-repo.ts';
import { createCliInProcess } from './in-process.ts';
import { markedProcesses } from './marked-processes.ts';
import { expectSoundRecord } from './record-check.ts';
import { auditRun } from './run-audit.ts';
import { type RunRecordOnDisk, readRun } from './run-record.ts';
import { auditWorkspaces } from './workspace-audit.ts';

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
  /** Off by default: the sandbox would prevent what tests want to see detected, and not every machine has one. */
  readonly sandbox?: 'auto' | 'required' | 'off';
  /** `paths.runs` of the configuration, if it has one. */
  readonly runs?: string;
  /** The folder below the home that `paths.workspaces` names, if the configuration has it. */
  readonly workspaces?: string;
  /** Puts the checkout into the state that the user left it in, before anything is compared. */
  readonly prepare?: (repo: GitRepo) => Promise<unknown>;
  /** The test works in the checkout while runs go on, so that its files, index and refs can't be compared afterwards. */
  readonly isBusy?: boolean;
}

/** A repository, a home folder and the command, as a user has them. */
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
  /** What `cli` starts the command with. */
  readonly cliOptions: CliOptions;
  readonly runIds: () => readonly string[];
  readonly record: (runId: string) => RunRecordOnDisk;
  /** Contains the folder of every run of this repository. */
  readonly workspacesDir: string;
  /** The checkout that the agents of a run work in. */
  readonly checkout: (runId: string) => string;
  /** The checkout that its validators run in. */
  readonly judge: (runId: string) => string;
  /** Git in the store of a run: its snapshots and salvages. */
  readonly storeGit: (runId: string, ...args: readonly string[]) => Promise<string>;
  readonly inCheckout: (runId: string, path: string) => Promise<string>;
}

export function fixture(workflow: string): string {
  return fileURLToPath(new URL(`../fixtures/workflows/${workflow}.yaml`, import.meta.url));
}

/** A workflow of one agent step, for tests that need no fixture of their own; the prompt is inserted as YAML. */
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
 * A test in which scenes are opened. After it, each scene's checkout must be as it was, its refs and workspaces exactly
 * those of its runs, its records sound, and no process of a run alive.
 */
export const test = base.extend<{ openScene: (options?: SceneOptions) => Promise<Scene> }>({
  openScene: async ({ task: _task }, use) => {
    const opened: { readonly scene: Scene; readonly before: Partial<CheckoutState> | null }[] = [];
    try {
      await use(async (options = {}) => {
        const scene = await createScene(options);
        const before = options.commit === false ? null : await readCheckout(scene.repo.root);
        opened.push({ scene, before: options.isBusy === true ? lasting(before) : before });
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
  const cliOptions = { cwd: repo.root, home, env };
  const cli = createCliInProcess(cliOptions);
  const runsDir = join(repo.root, options.runs ?? '.tnh/run');
  const state = join(home, options.workspaces ?? '.local/state/conductor');
  const workspacesDir = join(state, workspacesName(repo.root));
  const checkout = (runId: string) => join(workspacesDir, runId, 'work');
  return {
    repo,
    cli,
    cliOptions,
    home,
    workspacesDir,
    checkout,
    judge: (runId) => join(workspacesDir, runId, 'judge'),
    storeGit: (runId, ...args) =>
      gitAt(repo.root, `--git-dir=${join(workspacesDir, runId, 'store')}`, ...args),
    conductor: (...args) => cli.run(args),
    run: async (workflow, ...args) => {
      const result = await cli.run(['run', fixture(workflow), ...args]);
      return { ...result, runId: result.stdout.split('\n')[0] ?? '' };
    },
    runIds: () =>
      existsSync(runsDir) ? readdirSync(runsDir).filter((name) => /^[0-9a-f-]{36}$/.test(name)) : [],
    record: (runId) => readRun(join(runsDir, runId)),
    inCheckout: (runId, path) => readFile(join(checkout(runId), path), 'utf8'),
  };
}

/** As documented: the name of the repository, and a hash of the real path of its git folder. */
export function workspacesName(root: string): string {
  const hash = createHash('sha256').update(join(root, '.git')).digest('hex').slice(0, 12);
  return `${basename(root)}-${hash}`;
}

/** What no command of a user changes as a side effect. */
function lasting(before: CheckoutState | null): Partial<CheckoutState> | null {
  return before === null ? null : { config: before.config, worktrees: before.worktrees };
}

async function inspect(scene: Scene, before: Partial<CheckoutState>): Promise<void> {
  const { repo } = scene;
  const runs = scene.runIds().map(scene.record);
  for (const run of runs) auditRun(run);
  for (const run of runs) await expectSoundRecord(run.path);
  expect(await readCheckout(repo.root)).toMatchObject(before);
  await auditWorkspaces(repo, scene.workspacesDir, runs);
  const ids = runs.map(({ metadata }) => metadata.run_id);
  expect(ids.flatMap(markedProcesses)).toEqual([]);
}

async function tearDown(scene: Scene): Promise<void> {
  await scene.cli.endAll();
  for (const pid of scene.runIds().flatMap(markedProcesses)) process.kill(pid, 'SIGKILL');
  await rm(scene.home, { recursive: true, force: true });
  await scene.repo.cleanup();
}

/** Polls until `look` returns something; only the time limit of the test ends it. */
export async function until<T>(look: () => T | null | undefined | false): Promise<T> {
  for (;;) {
    const seen = look();
    if (seen !== null && seen !== undefined && seen !== false) return seen;
    await pause(20);
  }
}

/** The pid that a process wrote into a file. A file that was just created is empty, and pid 0 would be this process group. */
export function readPid(path: string): number | null {
  const pid = existsSync(path) ? Number(readFileSync(path, 'utf8')) : 0;
  return Number.isSafeInteger(pid) && pid > 0 ? pid : null;
}

/** Waits for `count` lines that a `notify` command writes into a file of the home folder; conductor does not wait for it. */
export function notifiedLines(home: string, count: number): Promise<readonly string[]> {
  const path = join(home, 'notified.ndjson');
  return until(() => {
    const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : [];
    return lines.length >= count && lines;
  });
}
