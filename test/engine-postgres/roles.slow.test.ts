import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EventDraft } from '../../src/contracts/run/event.ts';
import { type Cluster, findPostgres, startCluster } from './cluster.ts';
import { type EngineScene, openScene } from './engine-scene.ts';

const programs = findPostgres();
const PAGE = join(import.meta.dirname, '../../docs/guide/operations/postgres.md');
const RUN = '01990000-0000-7000-8000-000000000001';
const OTHER = '01990000-0000-7000-8000-000000000002';
const REFUSED =
  /refuses this to the user .*; grant the role what docs\/guide\/operations\/postgres\.md lists$/;

function note(text: string): EventDraft {
  return { event_type: 'status_updated', step_id: null, payload: { note: text } };
}

function submission(runId: string) {
  return { runId, artifactsDir: null, needs: [], request: '{}' };
}

// Needs a PostgreSQL server and the packages pg and pg-boss.
describe.skipIf(programs === null)('the roles that the guide lists', () => {
  let cluster: Cluster;
  let scene: EngineScene;

  beforeAll(async () => {
    cluster = await startCluster(programs ?? '');
    scene = await openScene(cluster);
    const [, statements] = /```sql\n(create role[^`]+)```/.exec(await readFile(PAGE, 'utf8')) ?? [];
    await scene.query(statements ?? '');
    for (const role of ['worker', 'operator', 'reader'])
      await scene.query(`create role ${role}_user login in role conductor_${role}`);
  }, 60_000);
  afterAll(async () => {
    await scene?.close();
    await cluster?.remove();
  });

  function openAs(role: string) {
    const url = new URL(cluster.url);
    url.username = `${role}_user`;
    return scene.open({ url: url.href, machine: role });
  }

  it('let a worker drive, an operator submit, answer and withdraw, and a reader only read', async () => {
    const [worker, operator, reader] = ['worker', 'operator', 'reader'].map(openAs);
    assert.ok(worker !== undefined && operator !== undefined && reader !== undefined);
    await expect(reader.submit(submission(RUN))).rejects.toThrow(REFUSED);
    await operator.submit(submission(RUN));
    await operator.submit(submission(OTHER));
    expect(await operator.withdraw(OTHER)).toBe(true);
    await worker.join({ name: 'w', labels: [], slots: 1, problems: [] });
    const claim = await worker.claim([]);
    assert.ok(claim !== null);
    await claim.run.append([note('a')]);
    const [asOperator, asReader] = await Promise.all([operator.read(RUN), reader.read(RUN)]);
    assert.ok(asOperator.ok && asReader.ok);
    await expect(asReader.run.inbox.post('answer.json', '{}')).rejects.toThrow(REFUSED);
    expect(await asOperator.run.inbox.post('answer.json', '{}')).toBe('posted');
    expect(await scene.query('select posted_by from conductor.inbox')).toEqual([
      { posted_by: 'operator_user' },
    ]);
    await claim.run.release();
    await expect(operator.drive(RUN)).rejects.toThrow(REFUSED);
    expect((await reader.list()).map(({ runId }) => runId)).toEqual([RUN]);
    expect((await reader.queue()).map(({ runId }) => runId)).toEqual([RUN]);
    expect((await reader.workers()).map(({ name }) => name)).toEqual(['w']);
    await reader.fetch(RUN);
  }, 30_000);
});
