import { execFileSync, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createCli } from '../../testing/cli.ts';
import { type Cluster, findPostgres, startCluster } from './cluster.ts';
import { type Machines, openMachines, PEERS } from './machines.ts';

const programs = findPostgres();
const isRoot = process.getuid?.() === 0;

// Needs a PostgreSQL server and the packages pg and pg-boss.
describe.skipIf(programs === null)('conductor engine up', () => {
  let cluster: Cluster;
  let machines: Machines | null = null;

  beforeAll(async () => {
    cluster = await startCluster(programs ?? '');
  }, 60_000);
  afterEach(async () => {
    await machines?.remove();
    machines = null;
  });
  afterAll(() => cluster?.remove());

  it('creates the tables once, and names what keeps runs from being shared', async () => {
    machines = await openMachines(cluster, {});
    const { cli, root } = machines.user;
    const first = await cli.run(['engine', 'up']);
    expect([first.code, first.stderr]).toEqual([
      0,
      expect.stringMatching(/from version 0 to \d+\nthe engine is ready/),
    ]);
    expect((await cli.run(['engine', 'up'])).stderr).toMatch(/^the tables have version \d+\n/);

    const env = { ...machines.env, CONDUCTOR_ENGINE_HUB: join(root, 'nowhere.git') };
    const lost = await cli.run(['engine', 'up'], { env });
    expect([lost.code, lost.stderr]).toEqual([1, expect.stringMatching(/problem: .*nowhere\.git/)]);
    const unset = await cli.run(['engine', 'up'], { env: { ...machines.env, CONDUCTOR_DATABASE_URL: '' } });
    expect([unset.code, unset.stderr]).toEqual([
      2,
      expect.stringContaining('CONDUCTOR_DATABASE_URL is not set'),
    ]);
  }, 60_000);

  it('starts a server of its user with --dev, which the printed variables lead to', async () => {
    const top = await mkdtemp(join(tmpdir(), 'conductor-dev-'));
    const [root, home] = [join(top, 'repo'), join(top, 'home')];
    await mkdir(home);
    execFileSync('git', ['init', '--quiet', root]);
    // PostgreSQL refuses to run as root, and its package has a user for it.
    const through = isRoot ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--init-groups'] : [];
    if (isRoot) spawnSync('chown', ['-R', 'postgres:postgres', top]);
    const cli = createCli({ cwd: root, home, env: { NODE_OPTIONS: PEERS }, through });
    let stop: readonly string[] = [];
    try {
      const first = await cli.run(['engine', 'up', '--dev', '--json']);
      const { dev, problems } = JSON.parse(first.stdout) as {
        readonly dev: { readonly stop: readonly string[]; readonly environment: Record<string, string> };
        readonly problems: readonly unknown[];
      };
      stop = dev.stop;
      expect([first.code, problems]).toEqual([0, []]);
      const env = { ...dev.environment, NODE_OPTIONS: PEERS };
      expect((await cli.run(['engine', 'status'], { env })).stdout).toContain(
        'none; start one with conductor worker',
      );
      const again = await cli.run(['engine', 'up', '--dev']);
      expect(again.stderr).toContain('PostgreSQL is running');
      expect(again.stdout).toContain(
        `export CONDUCTOR_DATABASE_URL=${dev.environment.CONDUCTOR_DATABASE_URL}`,
      );
    } finally {
      const [program = 'true', ...words] = [...through, ...stop];
      spawnSync(program, words);
      await rm(top, { recursive: true, force: true });
    }
  }, 60_000);
});
