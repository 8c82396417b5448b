// One process that does one thing to work items and can be killed at any of its points: when a git that writes has started,
// when it has ended, and on either side of a commit of the database.
import childProcess from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import Database from 'libsql';

const { root, action, killAt, base, patches } = JSON.parse(process.argv[2]);
let passed = 0;

function point() {
  passed += 1;
  if (passed === killAt) process.kill(process.pid, 'SIGKILL');
}

const WRITES = ['commit-tree', 'merge', 'update-ref', 'worktree', 'write-tree'];
const { spawn } = childProcess;
childProcess.spawn = (program, argv, options) => {
  const child = spawn(program, argv, options);
  if (argv.some((word) => WRITES.includes(word))) {
    child.on('close', point);
    child.on('spawn', point);
  }
  return child;
};
syncBuiltinESMExports();

const exec = Object.getOwnPropertyDescriptor(Database.prototype, 'exec').value;
Database.prototype.exec = function (sql) {
  if (sql === 'COMMIT') point();
  const result = exec.call(this, sql);
  if (sql === 'COMMIT' || sql.startsWith('BEGIN EXCLUSIVE')) point();
  return result;
};

const src = join(import.meta.dirname, '../../dist/src');
const { createWorkDatabase } = await import(join(src, 'adapters/work-local/database.js'));
const { createLocalProvider } = await import(join(src, 'adapters/work-local/local-provider.js'));
const { createLocalJournal } = await import(join(src, 'adapters/work-local/journal.js'));
const { createItemRevisions } = await import(join(src, 'adapters/git/item-revisions.js'));

const AT = '2026-01-02T03:04:05.000Z';
const file = join(root, '.tnh/work/items.db');
const revisions = createItemRevisions({ repoRoot: root });
const checkout = join(root, '.tnh/work/checkout');
const provider = createLocalProvider({
  database: createWorkDatabase(file),
  revisions,
  check: async ({ headSHA }, signal) => {
    const harnessDir = join(root, '.tnh/work/harness');
    await revisions.checkOut({ path: checkout, commit: headSHA, runId: 'checks', harnessDir }, signal);
    await revisions.removeCheckout(checkout);
    return { status: 'success', url: null, reason: null };
  },
});
const journal = createLocalJournal({
  database: createWorkDatabase(file),
  clock: { now: () => new Date(AT), sleep: async () => undefined },
});

const fields = {
  title: 'T',
  body: 'B',
  type: 'implement',
  priority: 'low',
  complexity: 'low',
  otherLabels: [],
};
const revise = (key, patch) =>
  provider.makeRevision(key, {
    itemId: '1',
    title: 'T',
    base,
    patch,
    message: 'M',
    body: 'B',
    author: 'implementor',
    at: AT,
  });

const ACTIONS = {
  write: () =>
    provider.write('write', [
      { kind: 'create_item', ref: 'a', at: AT, fields },
      { kind: 'create_item', ref: 'b', at: AT, fields },
      { kind: 'link_item', item: 'a', blockedBy: ['b', '1'] },
      { kind: 'set_status', id: '1', status: 'ready' },
    ]),
  'make the first revision': () => revise('first', patches[0]),
  'make a later revision': () => revise('later', patches[1]),
  settle: () => provider.settle(new AbortController().signal),
  merge: async () => {
    const [revision] = (await provider.read()).revisions;
    return provider.merge('merge', {
      itemId: '1',
      revisionId: revision.id,
      headSHA: revision.headSHA,
      message: 'Merge',
      by: 'P',
      at: AT,
    });
  },
  'append alone': () =>
    journal.alone(async (append) => {
      // As the engine does it: what a key has done before is not done again.
      const done = new Set((await journal.read(0)).map(({ event }) => event.key));
      for (const key of ['a', 'b']) if (!done.has(key)) await append([{ type: 'command_done', key }]);
      return (await journal.read(0)).length;
    }),
  prepare: async () => {
    await provider.write('prepare', [{ kind: 'create_item', ref: 'x', at: AT, fields }]);
  },
};

const answer = await ACTIONS[action]();
await provider.close();
await journal.close();
process.stdout.write(JSON.stringify({ answer: answer ?? null, points: passed }));
