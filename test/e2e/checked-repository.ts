import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { PlannerStatus } from '../../src/contracts/vocabulary.ts';
import type { Cli } from '../../testing/cli.ts';
import { type GitRepo, makeRepo } from '../../testing/git-repo.ts';
import { createCliInProcess } from './in-process.ts';
import { markedProcesses } from './marked-processes.ts';
import { type RunRecordOnDisk, readRun } from './run-record.ts';

/** What a scripted agent does: files it writes or removes (null), then a shell line, then its last message. */
export interface Deed {
  readonly write?: Readonly<Record<string, string | null>>;
  readonly shell?: string;
  readonly says?: string;
}

/** A run as a user sees it: what the evaluation decided, and what the gate and `show` say. */
export interface Verdict {
  readonly runId: string;
  readonly exitCode: number | null;
  /** Of the last evaluation; null if the run ended before it. */
  readonly status: PlannerStatus | null;
  readonly flags: readonly string[];
  readonly blockers: readonly string[];
  /** Everything that `show` prints, which at a gate is what the gate asks. */
  readonly shown: string;
  /** The text of the gate; empty if the run did not reach one. */
  readonly gate: string;
  readonly record: RunRecordOnDisk;
  readonly stderr: string;
}

export interface CheckedRepository {
  readonly repo: GitRepo;
  readonly cli: Cli;
  readonly home: string;
  /** Runs the scripted agent on a commit of the repository, followed by the checks, an evaluation and a gate. */
  readonly attempt: (title: string, deed: Deed, ...args: readonly string[]) => Promise<Verdict>;
  readonly close: () => Promise<void>;
}

export interface RepositoryKind {
  readonly files: Readonly<Record<string, string>>;
  /** Changes what `init` wrote: a report, a `setup` that works without a network. */
  readonly configure?: (config: string) => string;
  /** The built-in workflow instead of one that stops after one attempt. */
  readonly workflow?: 'implement';
  /** Changes the workflow of an attempt. */
  readonly arrange?: (workflow: string) => string;
  readonly sandbox?: 'off' | 'required';
  /** Changes the files before they are committed. */
  readonly prepare?: (repo: GitRepo) => Promise<void>;
  /** A folder of programs to find first. */
  readonly path?: string;
}

/** Does what the task says; the task is a deed as JSON. */
const AGENT = [
  "const fs = require('node:fs');",
  "const inputs = JSON.parse(fs.readFileSync(process.env.CONDUCTOR_INPUTS, 'utf8'));",
  'const { write = {}, shell, says } = JSON.parse(inputs.task);',
  'for (const [path, text] of Object.entries(write)) {',
  '  fs.rmSync(path, { recursive: true, force: true });',
  "  if (text !== null) fs.mkdirSync(require('node:path').dirname(path), { recursive: true });",
  '  if (text !== null) fs.writeFileSync(path, text);',
  '}',
  "if (shell) require('node:child_process').execFileSync('sh', ['-ec', shell], { stdio: 'inherit' });",
  "console.log(says ?? 'I implemented it. All tests pass.');",
].join(' ');

/** As the built-in `implement`, but it stops where that one would start the agent again. */
const WORKFLOW = `workflow_id: attempt
version: 1
description: One attempt at a task, with the checks, an evaluation and a gate.
entry_step: implement
steps:
  - id: implement
    opcode: RUN_AGENT
    agent: claude-code
    prompt: task.implement.v1
    inputs: [task]
    routes: { completed: validate, error: STOP, killed_timeout: STOP, killed_idle: STOP, killed_policy: STOP }
  - id: validate
    opcode: RUN_VALIDATION
    run: [tests]
    routes: { completed: evaluate, error: evaluate, killed_timeout: evaluate, killed_idle: evaluate, killed_policy: STOP }
  - id: evaluate
    opcode: EVALUATE
    prompt: planner.evaluate_results.v1
    allowed_next_steps: [approve]
    routes: { success: approve, partial: STOP, blocked: STOP, unsafe: STOP, needs_human: approve }
  - id: approve
    opcode: GATE
    gate: requires_approval
    routes: { gate_approved: STOP, gate_rejected: STOP }
`;

/** A repository that `conductor init` has set up, with a scripted agent in the place of the real one. */
export async function openRepository(kind: RepositoryKind): Promise<CheckedRepository> {
  const repo = await makeRepo({ files: kind.files });
  const home = join(repo.root, '..', 'home');
  await mkdir(home);
  const env = {
    CONDUCTOR_SANDBOX: kind.sandbox ?? 'off',
    PATH: [kind.path ?? [], pathWithoutPackages()].flat().join(':'),
  };
  const cli = createCliInProcess({ cwd: repo.root, home, env });
  const init = await cli.run(['init']);
  expect(init.code, init.stderr).toBe(0);
  const path = join(repo.root, '.tnh/config.yaml');
  const config = await readFile(path, 'utf8');
  const agent = `agents: { claude-code: { kind: command, command: [node, -e, ${JSON.stringify(AGENT)}] } }\n`;
  const full = `${agent}${config}`;
  await writeFile(path, kind.configure?.(full) ?? full);
  const workflow = kind.workflow ?? 'attempt';
  if (workflow === 'attempt')
    await repo.write('.tnh/workflows/attempt.yaml', kind.arrange?.(WORKFLOW) ?? WORKFLOW);
  await kind.prepare?.(repo);
  await repo.git('add', '--all');
  await repo.git('commit', '--quiet', '--message=Add conductor');
  const runIds = new Set<string>();
  return {
    repo,
    cli,
    home,
    attempt: async (title, deed, ...args) => {
      const task = JSON.stringify(deed);
      const run = await cli.run(['run', workflow, '--title', title, '--input', `task=${task}`, ...args]);
      const runId = run.stdout.split('\n')[0] ?? '';
      expect(runId, run.stderr).toMatch(/^[0-9a-f-]{36}$/);
      runIds.add(runId);
      const shown = await cli.run(['show', runId]);
      const record = readRun(join(repo.root, '.tnh/run', runId));
      return { runId, exitCode: run.code, stderr: run.stderr, shown: shown.stdout, ...readVerdict(record) };
    },
    close: async () => {
      await cli.endAll();
      for (const pid of [...runIds].flatMap(markedProcesses)) process.kill(pid, 'SIGKILL');
      await rm(home, { recursive: true, force: true });
      await repo.cleanup();
    },
  };
}

/** npm puts the programs of this project's packages on the PATH; the repositories of these tests have their own. */
function pathWithoutPackages(): string {
  const folders = (process.env.PATH ?? '').split(':');
  return folders.filter((folder) => !folder.includes('node_modules')).join(':');
}

function readVerdict(
  record: RunRecordOnDisk,
): Pick<Verdict, 'status' | 'flags' | 'blockers' | 'gate' | 'record'> {
  const decision = record.eventsOf('decision_recorded').at(-1)?.payload ?? null;
  return {
    record,
    status: decision?.status ?? null,
    flags: decision?.risk_flags ?? [],
    blockers: decision?.blocker_codes ?? [],
    gate: record.manifests.approve === undefined ? '' : record.evidence('approve', 'gate_request_text'),
  };
}
