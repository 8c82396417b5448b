// A worker process that takes one run, appends an event, and then does what its standard input says: `append` appends
// another one. It says on its standard output, one JSON document a line, what came of it.
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const [url, root, blobs, leaseMs] = process.argv.slice(2);
const src = join(import.meta.dirname, '../../dist/src');
const { createPostgresEngine } = await import(join(src, 'adapters/engine-postgres/postgres-engine.js'));
const { createRecordFolders } = await import(join(src, 'adapters/run-store/record-folder.js'));
const { systemClock } = await import(join(src, 'adapters/system/clock.js'));

const say = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);
const engine = createPostgresEngine({
  url,
  repository: 'repository',
  blobs,
  folders: createRecordFolders({ repoRoot: root, runsDir: join(root, '.tnh/run') }),
  clock: systemClock,
  lease: { leaseMs: Number(leaseMs), renewMs: Number(leaseMs) / 3 },
  importPackage: (name) => import(name),
});
const note = (text) => ({ event_type: 'status_updated', step_id: null, payload: { note: text } });

await engine.join({ name: 'doomed', labels: [], slots: 1, problems: [] });
const claim = await engine.claim([]);
if (claim === null) throw new Error('no run is due');
const { run } = claim;
run.lease.lost.addEventListener('abort', () => say({ lost: run.lease.lost.reason.name }));
await run.append([note('by the first driver')]);
say({ claimed: run.directory.runId, at: Date.now() });
for await (const line of createInterface({ input: process.stdin })) {
  if (line !== 'append') continue;
  await run.append([note('late')]).then(
    () => say({ appended: true }),
    (error) => say({ refused: error.name }),
  );
}
