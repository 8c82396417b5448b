// What a run adds to git on a large repository: its start beside `git worktree add`, a snapshot beside `git status`.
// Exits 1 when a limit is broken, 2 when nothing could be measured. `--short` measures fewer rounds, and starts as
// many as fit into its time.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createGitWorkspace } from '../dist/src/adapters/git/git-workspace.js';
import { median } from './measure.mjs';
import { exitWith } from './outcome.mjs';
import { firstThatHolds, formatTable, judge } from './report.mjs';

const SHORT = process.argv.includes('--short');
const FILES = 20_000;
const FILES_PER_FOLDER = 100;
const STARTS = SHORT ? 4 : 10;
/** A slow disk takes ten seconds and more for each worktree; no round begins after this. */
const STARTS_MS = SHORT ? 8_000 : Number.POSITIVE_INFINITY;
const SNAPSHOTS = SHORT ? 9 : 31;
const PROGRAM = join(import.meta.dirname, '..', 'dist', 'bin', 'conductor.js');

const WORKFLOW = `workflow_id: bench
version: 1
description: One step that does nothing.
entry_step: only
steps:
  - id: only
    opcode: RUN_AGENT
    agent: nobody
    prompt: Do nothing.
    routes: { completed: STOP, error: STOP, killed_timeout: STOP, killed_idle: STOP, killed_policy: STOP }
`;
const CONFIG = "agents:\n  nobody: { kind: command, command: ['true'] }\n";

/** Without the configuration of whoever measures. */
function environment(folder) {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(?:CONDUCTOR_|GIT_)/.test(name));
  return {
    ...Object.fromEntries(inherited),
    HOME: folder,
    XDG_CONFIG_HOME: join(folder, 'config'),
    NO_COLOR: '1',
  };
}

function git(cwd, ...args) {
  const result = spawnSync('git', args, { cwd, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  if (result.status !== 0)
    throw new Error(`git ${args[0]} failed: ${result.error?.message ?? result.stderr}`);
  return result.stdout.trim();
}

function makeRepository(root) {
  for (let at = 0; at < FILES; at += 1) {
    const folder = Math.floor(at / FILES_PER_FOLDER);
    const path = join(root, 'src', `part-${folder % 20}`, `folder-${folder}`);
    if (at % FILES_PER_FOLDER === 0) mkdirSync(path, { recursive: true });
    writeFileSync(join(path, `file-${at}.ts`), `export const value${at} = ${at};\n`.repeat(10));
  }
  mkdirSync(join(root, '.tnh'));
  writeFileSync(join(root, '.tnh', 'config.yaml'), CONFIG);
  writeFileSync(join(root, 'bench.yaml'), WORKFLOW);
  writeFileSync(join(root, '.gitignore'), 'node_modules/\n*.log\n');
  git(root, 'init', '--quiet', '--initial-branch=main');
  git(root, 'add', '--all');
  git(root, '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '--quiet', '--message=start');
}

async function timed(work) {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** Until the run has its worktree: then its id is printed. */
function startRun(root, env) {
  const child = spawn(process.execPath, [PROGRAM, 'run', 'bench.yaml'], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (chunk) => (said += chunk));
  const ended = new Promise((resolve) => child.on('close', resolve));
  const started = new Promise((resolve, reject) => {
    child.stdout.once('data', resolve);
    child.on('close', (code) => reject(new Error(`conductor run ended with ${code}: ${said}`)));
  });
  return { started, ended };
}

/** Each comes first in turn: whoever does writes while the disk is still busy with what was removed before. */
async function measureStarts(root, env, folder) {
  const times = [[], []];
  const begun = performance.now();
  for (let round = 0; round < STARTS && performance.now() - begun < STARTS_MS; round += 1) {
    const name = `plain-${round}-${Math.round(begun)}`;
    const plain = join(folder, name);
    const measurePlain = async () => {
      times[0].push(await timed(() => git(root, 'worktree', 'add', '--quiet', '-b', name, plain)));
    };
    const measureRun = async () => {
      const start = performance.now();
      const run = startRun(root, env);
      await run.started;
      times[1].push(performance.now() - start);
      await run.ended;
    };
    const [first, second] = round % 2 === 0 ? [measurePlain, measureRun] : [measureRun, measurePlain];
    await first();
    await second();
    removeWorktrees(root);
  }
  return times.map(median);
}

function removeWorktrees(root) {
  for (const line of git(root, 'worktree', 'list', '--porcelain').split('\n'))
    if (line.startsWith('worktree ') && line !== `worktree ${root}`)
      git(root, 'worktree', 'remove', '--force', line.slice('worktree '.length));
}

/** Both look at the same worktree, in turn. The first snapshot is not measured: nothing is known before it. */
async function measureSnapshots(root, folder) {
  const runId = `bench-${Math.round(performance.now())}`;
  const workspaces = createGitWorkspace({ repoRoot: root, worktreesDir: join(folder, 'worktrees') });
  const baseSha = git(root, 'rev-parse', 'HEAD');
  const harnessDir = join(folder, 'harness');
  const run = workspaces.describe({
    runId,
    workflowId: 'bench',
    baseRef: 'HEAD',
    baseSha,
    harnessDir,
  });
  await workspaces.create(run);
  await workspaces.snapshot(run, 'first');
  git(run.worktreePath, 'status');
  const times = [[], []];
  for (let round = 0; round < SNAPSHOTS; round += 1) {
    times[0].push(await timed(() => git(run.worktreePath, 'status')));
    times[1].push(await timed(() => workspaces.snapshot(run, `round-${round}`)));
  }
  return times.map(median);
}

async function main() {
  if (!existsSync(PROGRAM)) throw new Error('dist/bin/conductor.js is not built; npm run setup builds it');
  const folder = mkdtempSync(join(tmpdir(), 'conductor-bench-'));
  try {
    const env = environment(folder);
    const root = join(folder, 'repo');
    mkdirSync(root);
    makeRepository(root);
    const starts = await firstThatHolds(async () =>
      judge(
        [
          { name: 'git worktree add', limit: null },
          { name: 'conductor run, until its worktree is there', limit: 1.3 },
        ],
        await measureStarts(root, env, folder),
      ),
    );
    const snapshots = await firstThatHolds(async () =>
      judge(
        [
          { name: 'git status', limit: null },
          { name: 'a snapshot of an unchanged tree', limit: 1.5 },
        ],
        await measureSnapshots(root, folder),
      ),
    );
    for (const rows of [starts, snapshots]) process.stdout.write(`${formatTable(rows)}\n`);
    process.stdout.write(`${FILES} files, up to ${STARTS} starts, ${SNAPSHOTS} snapshots\n`);
    return [...starts, ...snapshots].some(({ broken }) => broken) ? 1 : 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

await exitWith(main);
