import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createBlobFolder } from '../../src/adapters/engine-postgres/blob-folder.ts';
import { createEmbeddedEngine } from '../../src/adapters/run-store/embedded-engine.ts';
import { systemClock } from '../../src/adapters/system/clock.ts';
import type { EventDraft } from '../../src/contracts/run/event.ts';
import { sha256Hex } from '../../src/node/sha256.ts';
import type { DrivenRun, RunDirectory } from '../../src/ports/run-store.ts';
import { type Cluster, findPostgres, startCluster } from './cluster.ts';
import { type EngineScene, openScene } from './engine-scene.ts';

const programs = findPostgres();
const RUN = '01990000-0000-7000-8000-000000000001';

function note(text: string): EventDraft {
  return { event_type: 'status_updated', step_id: null, payload: { note: text } };
}

function artifact(file: {
  readonly path: string;
  readonly sha256: string;
  readonly bytes: number;
}): EventDraft {
  return { event_type: 'artifact_recorded', step_id: 'work', payload: { role: 'report', ...file } };
}

// Needs a PostgreSQL server and the packages pg and pg-boss.
describe.skipIf(programs === null)('a record of the engine postgres', () => {
  let cluster: Cluster;
  let scene: EngineScene;

  beforeAll(async () => {
    cluster = await startCluster(programs ?? '');
    scene = await openScene(cluster);
  }, 60_000);
  afterEach(() => scene.clear());
  afterAll(async () => {
    await scene?.close();
    await cluster?.remove();
  });

  /** The run as another machine has it after it has fetched it. */
  async function fetchElsewhere(): Promise<RunDirectory> {
    const engine = scene.open({ machine: 'elsewhere' });
    await engine.fetch(RUN);
    const read = await engine.read(RUN);
    assert.ok(read.ok);
    return read.run.directory;
  }

  it('is byte for byte what the embedded engine writes', async () => {
    const root = await mkdtemp(join(tmpdir(), 'conductor-embedded-'));
    onTestFinished(() => rm(root, { recursive: true, force: true }));
    const now = () => new Date('2030-01-02T03:04:05.678Z');
    const clock = { ...systemClock, now };
    const embedded = createEmbeddedEngine({ repoRoot: root, runsDir: join(root, '.tnh/run'), clock });
    const shared = scene.open({ clock });
    const record = async (run: DrivenRun) => {
      await run.append([note('a "quoted" line \u2028 \u0000 \ud83d\ude00'), note('é')]);
      await run.append([artifact(await run.directory.write('artifacts/work/report.txt', 'content'))]);
      await run.release();
      return run.directory;
    };
    const written = await record(await embedded.create(RUN, null));
    await record(await shared.create(RUN, null));
    const fetched = await fetchElsewhere();
    for (const path of ['events.ndjson', 'artifacts/work/report.txt'])
      expect(await readFile(fetched.resolve(path))).toEqual(await readFile(written.resolve(path)));
    expect(await fetched.list('.')).toEqual(await written.list('.'));
  });

  it('has each file elsewhere that an event names, as soon as the event is recorded', async () => {
    const run = await scene.open().create(RUN, null);
    await run.append([note('a')]);
    const path = 'artifacts/work/output.txt';
    await mkdir(run.directory.resolve('artifacts/work'), { recursive: true });
    // Written by another program, such as an agent.
    await writeFile(run.directory.resolve(path), 'of an agent');
    const digest = { path, sha256: sha256Hex('of an agent'), bytes: 11 };
    await run.append([artifact(digest)]);
    const fetched = await fetchElsewhere();
    expect(await readFile(fetched.resolve(path), 'utf8')).toBe('of an agent');
    expect(await fetched.read(path, { firstBytes: 2 })).toBe('of');
    expect(await fetched.digest(fetched.resolve(path))).toMatchObject(digest);
    expect(await fetched.list('artifacts')).toEqual([path]);
    await run.release();
  });

  it('has all other files elsewhere once its driver has released it, and the status', async () => {
    const run = await scene.open().create(RUN, null);
    await run.append([note('a')]);
    await writeFile(run.directory.resolve('logs/agent.log'), 'printed');
    await run.directory.write('status.json', '{"a":1}');
    await run.release();
    const fetched = await fetchElsewhere();
    expect(await readFile(fetched.resolve('logs/agent.log'), 'utf8')).toBe('printed');
    expect(await readFile(fetched.resolve('status.json'), 'utf8')).toBe('{"a":1}');
  });

  it('has the last content of a file that changed, and not that of the machine that reads it', async () => {
    const first = await scene.open().create(RUN, null);
    await first.append([artifact(await first.directory.write('artifacts/work/a.txt', 'old'))]);
    await first.release();
    await fetchElsewhere();
    const driven = await scene.open({ machine: 'third' }).drive(RUN);
    assert.ok(driven.ok);
    expect(await readFile(driven.run.directory.resolve('artifacts/work/a.txt'), 'utf8')).toBe('old');
    await driven.run.append([artifact(await driven.run.directory.write('artifacts/work/a.txt', 'new'))]);
    const read = await scene.open({ machine: 'elsewhere' }).read(RUN);
    assert.ok(read.ok);
    expect(await read.run.directory.read('artifacts/work/a.txt')).toBe('new');
    await driven.run.release();
    expect(await readFile((await fetchElsewhere()).resolve('artifacts/work/a.txt'), 'utf8')).toBe('new');
  });

  it('is left alone by a fetch in the directory of its driver', async () => {
    const engine = scene.open();
    const run = await engine.create(RUN, null);
    await run.append([artifact(await run.directory.write('artifacts/work/a.txt', 'stored'))]);
    await writeFile(run.directory.resolve('artifacts/work/a.txt'), 'not stored yet');
    await engine.fetch(RUN);
    expect(await readFile(run.directory.resolve('artifacts/work/a.txt'), 'utf8')).toBe('not stored yet');
    await run.release();
    expect(await readdir(run.directory.path)).not.toContainEqual(expect.stringMatching(/^lock\./));
  });
});

describe('the folder of evidence files', () => {
  async function makeFolder(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'conductor-blobs-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    return folder;
  }

  it('keeps the same content once, under its digest', async () => {
    const folder = await makeFolder();
    const blobs = createBlobFolder(join(folder, 'blobs'));
    for (const name of ['a', 'b']) await writeFile(join(folder, name), 'same');
    const digest = { sha256: sha256Hex('same'), bytes: 4 };
    expect(await Promise.all(['a', 'b', 'a'].map((name) => blobs.put(join(folder, name))))).toEqual([
      digest,
      digest,
      digest,
    ]);
    const kept = await readdir(join(folder, 'blobs/sha256', digest.sha256.slice(0, 2)));
    expect(kept).toEqual([digest.sha256]);
    expect(await blobs.read(digest.sha256)).toBe('same');
    await blobs.get(digest.sha256, join(folder, 'copy'));
    expect(await readFile(join(folder, 'copy'), 'utf8')).toBe('same');
    expect(await readdir(join(folder, 'blobs/incoming'))).toEqual([]);
  });

  it('takes neither links nor folders nor missing files', async () => {
    const folder = await makeFolder();
    const blobs = createBlobFolder(join(folder, 'blobs'));
    await symlink('/etc/hostname', join(folder, 'link'));
    for (const name of ['link', '.', 'absent']) expect(await blobs.put(join(folder, name))).toBeNull();
    expect(existsSync(join(folder, 'blobs/sha256'))).toBe(false);
  });
});
