// A process that changes work items as the engine does, one request per line, with the real database and real git. It can
// kill itself at any of its points: when a git command that writes has started, when it has ended, and before and after each
// commit of the database, which holds the journal and the items.
import childProcess from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import Database from 'libsql';

let passed = 0;
let killAt = null;

function point() {
  passed += 1;
  if (passed === killAt) process.kill(process.pid, 'SIGKILL');
}

const GIT_WRITES = ['commit-tree', 'merge', 'read-tree', 'update-ref', 'write-tree'];
const { spawn } = childProcess;
childProcess.spawn = (program, argv, options) => {
  const child = spawn(program, argv, options);
  const writes = argv.some((word) => GIT_WRITES.includes(word)) && !argv.includes('list');
  if (writes) {
    child.on('close', point);
    child.on('spawn', point);
  }
  return child;
};
syncBuiltinESMExports();

const exec = Object.getOwnPropertyDescriptor(Database.prototype, 'exec').value;
const writing = new WeakSet();
Database.prototype.exec = function (sql) {
  if (sql === 'BEGIN IMMEDIATE') writing.add(this);
  if (sql === 'BEGIN') writing.delete(this);
  const counts = sql === 'COMMIT' && writing.has(this);
  if (counts) point();
  const result = exec.call(this, sql);
  if (counts) point();
  return result;
};

const src = join(import.meta.dirname, '../../dist/src');
const { createWorkDatabase } = await import(join(src, 'adapters/work-local/database.js'));
const { createLocalProvider } = await import(join(src, 'adapters/work-local/local-provider.js'));
const { createLocalJournal } = await import(join(src, 'adapters/work-local/journal.js'));
const { createItemRevisions } = await import(join(src, 'adapters/workspace/items/item-revisions.js'));
const { createWorkEngine } = await import(join(src, 'runtime/work/create-work-engine.js'));
const { checkPlannerResult } = await import(join(src, 'work/results/planner-result.js'));
const { readLabelFields } = await import(join(src, 'work/items/labels.js'));
const { readBody } = await import(join(src, 'work/bodies/body.js'));

// The clock is fixed, so that a repeated command gives the same journal.
const clock = { now: () => new Date('2026-01-02T03:04:05.000Z'), sleep: async () => undefined };

function openWorld({ root, name, runs }) {
  const file = join(root, '.tnh/work/items.db');
  const revisions = createItemRevisions({
    repoRoot: root,
    gitDir: join(root, '.git'),
    workspacesDir: `${root}.workspaces`,
  });
  const provider = createLocalProvider({
    database: createWorkDatabase(file),
    revisions,
    check: async ({ headSHA }, signal) => {
      const harnessDir = join(root, '.tnh/work/harness');
      await revisions.checkOut({ name: 'revision', commit: headSHA, harnessDir }, signal);
      await revisions.removeCheckout('revision');
      return { status: 'success', url: null, reason: null };
    },
  });
  const journal = createLocalJournal({ database: createWorkDatabase(file), clock });
  let wishes = 0;
  const engine = createWorkEngine({
    journal,
    provider,
    specs: { read: async () => ({ specs: [], problems: [] }), text: async () => null, diff: async () => '' },
    runner: {
      run: () => Promise.reject(new Error('no run is started here')),
      readState: async (runId) => runs[runId] ?? { kind: 'driven' },
      cancel: async () => undefined,
    },
    clock,
    disk: { findFullFolder: async () => null },
    notify: null,
    // A user whose command failed repeats it with the same key.
    newKey: () => {
      wishes += 1;
      return `${name}/${wishes}`;
    },
    slots: 2,
    scopeOf: (body) => readBody(body).inScope.map(({ path }) => path),
    readLabels: (labels) => {
      const { type, priority, complexity, other } = readLabelFields(labels);
      return { type, priority, complexity, otherLabels: other };
    },
    checkPlan: (result, { items }) => {
      const known = [...items.values()].map(({ item }) => item);
      const checked = checkPlannerResult(result, { items: known });
      return checked.ok ? [] : checked.problems.map(({ code, message }) => `${code} ${message}`);
    },
  });
  return { engine, provider, journal };
}

async function take(world, step) {
  if (step === 'recover') return world.engine.recover();
  if (step === 'settle') return world.provider.settle(new AbortController().signal);
  const outcome = await world.engine.executeCommand(step, 'Ann');
  if (outcome.kind !== 'done' && outcome.kind !== 'done_before') throw new Error(JSON.stringify(outcome));
}

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  passed = 0;
  killAt = request.killAt;
  const world = openWorld(request);
  let problem = null;
  try {
    for (const step of request.steps) await take(world, step);
  } catch (error) {
    problem = error instanceof Error ? error.message : String(error);
  }
  await world.provider.close();
  await world.journal.close();
  process.stdout.write(`${JSON.stringify({ points: passed, problem })}\n`);
}
