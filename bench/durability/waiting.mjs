// Kilobytes of memory that a run takes while it waits at a gate, in a process that stays for many of them.
// Runs in a process of its own with --expose-gc and prints the number.
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startRun } from '../../dist/src/runtime/drive/start-run.js';
import { createServices } from '../../dist/src/wiring.js';
import { checkWorkflow } from '../../dist/src/workflow/check-workflow.js';

const RUNS = 20;
/** The first ones fill caches that all share. */
const WARM_UP = 5;
const WORKFLOW = `workflow_id: waiting
version: 1
description: Waits for a person.
entry_step: ask
steps:
  - id: ask
    opcode: GATE
    gate: requires_approval
    routes: { gate_approved: STOP, gate_rejected: STOP }
`;

function makeRepository(folder) {
  mkdirSync(folder, { recursive: true });
  const git = (...args) => spawnSync('git', args, { cwd: folder, encoding: 'utf8' });
  git('init', '--quiet');
  const identity = ['-c', 'user.name=bench', '-c', 'user.email=bench@example.invalid'];
  const { status, stderr } = git(...identity, 'commit', '--quiet', '--allow-empty', '-m', 'Start');
  if (status !== 0) throw new Error(`git commit failed: ${stderr.trim()}`);
  writeFileSync(join(folder, 'waiting.yaml'), WORKFLOW);
}

async function startWaiting(project, signal) {
  const bytes = new TextEncoder().encode(WORKFLOW);
  const { plan } = checkWorkflow({ name: 'waiting.yaml', bytes }, project.context);
  if (plan === null) throw new Error("the bench's workflow is not valid");
  const { defaults } = project.context;
  let waits = () => {};
  const waiting = new Promise((resolve) => {
    waits = resolve;
  });
  const end = startRun({
    deps: project.deps,
    ids: project.ids,
    plan,
    workflowText: bytes,
    baseRef: 'HEAD',
    inputs: {},
    defaults: {
      timeout_ms: defaults.timeoutMs,
      idle_timeout_ms: defaults.idleTimeoutMs,
      max_visits: defaults.maxVisits,
    },
    wait: true,
    signal,
    observer: { onEvents: (_, view) => view.awaiting !== null && waits(), onLine: () => {} },
    onGate: null,
    onCreated: () => {},
  });
  const early = await Promise.race([waiting, end]);
  if (early !== undefined) throw new Error('a run of the bench did not wait');
  return { end };
}

function used() {
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

async function main(folder) {
  makeRepository(folder);
  const opened = await createServices('0.0.0').openProject(folder);
  if (!opened.ok) throw new Error(opened.obstacle.message);
  const stop = new AbortController();
  const ends = [];
  for (let index = 0; index < WARM_UP; index += 1) ends.push(await startWaiting(opened.value, stop.signal));
  const before = used();
  const waiting = [];
  for (let index = 0; index < RUNS; index += 1) waiting.push(await startWaiting(opened.value, stop.signal));
  const perRun = (used() - before) / RUNS / 1000;
  stop.abort();
  for (const { end } of [...ends, ...waiting]) await end;
  process.stdout.write(`${perRun}\n`);
}

await main(process.argv[2]);
