import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { DrivenRun } from '../../src/ports/run-store.ts';
import { ENGINE_CASES } from '../../testing/engine-conformance.ts';
import { type Cluster, findPostgres, startCluster } from './cluster.ts';
import { type EngineScene, openScene } from './engine-scene.ts';

const programs = findPostgres();

// Needs a PostgreSQL server and the packages pg and pg-boss.
describe.skipIf(programs === null)('the engine postgres, each process on a machine of its own,', () => {
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

  /** Ends the lease of the driver, which knows nothing of it, and takes the run. */
  async function takeOver(runId: string): Promise<DrivenRun> {
    await scene.query(
      `update conductor.runs set lease_until = now() - interval '1 minute' where run_id = $1`,
      [runId],
    );
    const driven = await scene.open().drive(runId);
    if (!driven.ok) throw new Error(`not driven: ${driven.problem.kind}`);
    return driven.run;
  }

  it.each(ENGINE_CASES)('$name', async ({ run }) => {
    let machines = 0;
    const reopen = async () => {
      machines += 1;
      return scene.open({ machine: `machine-${machines}` });
    };
    await expect(run({ engine: scene.open(), reopen, takeOver })).resolves.toBeUndefined();
  });
});
