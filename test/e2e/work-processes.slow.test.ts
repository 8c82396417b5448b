import { existsSync } from 'node:fs';
import { access, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { markedProcesses } from './marked-processes.ts';
import { until } from './scene.ts';
import { plan, planned, test } from './work-scene.ts';

const PLAN_ONE = plan([planned('one', 'src/one.js')]);
const WRITES_ONE = "writeFileSync('src/one.js', 'export const one = 1;\\n'); completed('One is written.');";
const HANGS_FIRST = `const { existsSync } = await import('node:fs');
  writeFileSync('src/one.js', 'half');
  if (!existsSync(process.env.HOME + '/go')) {
    writeFileSync(process.env.HOME + '/began', '');
    await new Promise((go) => setTimeout(go, 120000));
  }
  ${WRITES_ONE}`;

describe('a process that is killed while its agent works', { timeout: 120_000 }, () => {
  test('leaves its item to the next one, which ends the agent and keeps files and evidence', async ({
    openWorkScene,
  }) => {
    const scene = await openWorkScene({ one: HANGS_FIRST });
    await scene.work('apply', await scene.give('plan.json', PLAN_ONE));
    const killed = scene.cli.start(['work', 'dispatch', '1']);
    await until(() => existsSync(join(scene.home, 'began')));
    killed.kill('SIGKILL');
    await killed.done;
    const [run] = (await scene.document('show', '1')).runs;
    const runId = run?.run_id ?? '';
    expect(markedProcesses(runId)).not.toEqual([]);
    await writeFile(join(scene.home, 'go'), '');
    expect((await scene.work('dispatch', '1')).code).toBe(0);
    expect(await scene.statuses()).toEqual({ one: 'approved' });
    expect(markedProcesses(runId)).toEqual([]);
    const { runs } = await scene.document('show', '1');
    expect(runs[0]).toMatchObject({ run_id: runId, ok: false, reason: 'no process drives it' });
    const worktree = join(scene.workspacesDir, runId, 'work');
    expect(await readFile(join(worktree, 'src/one.js'), 'utf8')).toBe('half');
    await access(join(scene.repo.root, '.tnh/run', runId, 'events.ndjson'));
    expect((await scene.cli.run(['verify', runId])).code).toBe(0);
  });
});

describe('two that watch at once', { timeout: 180_000 }, () => {
  test('have each item worked on once, and leave no other runs', async ({ openWorkScene }) => {
    const names = ['one', 'two', 'three'];
    const write = (name: string) => `writeFileSync('src/${name}.js', ''); completed('${name} is written.');`;
    const scene = await openWorkScene({
      plan: `give(${JSON.stringify(plan(names.map((name) => planned(name, `src/${name}.js`))))});`,
      ...Object.fromEntries(names.map((name) => [name, write(name)])),
    });
    const watching = [scene.cli.start(['work', 'watch']), scene.cli.start(['work', 'watch'])];
    await until(() => watching.every(({ stderr }) => stderr().split('review → approved').length === 4));
    for (const each of watching) each.kill('SIGINT');
    await Promise.all(watching.map(({ done }) => done));
    expect(await scene.statuses()).toEqual({ one: 'approved', two: 'approved', three: 'approved' });
    const { stdout } = await scene.cli.run(['runs', '--json']);
    const { runs } = JSON.parse(stdout) as {
      runs: readonly { status: { workflow_id: string; outcome: string } }[];
    };
    expect(runs.map(({ status }) => `${status.workflow_id} ${status.outcome}`).toSorted()).toEqual([
      ...names.map(() => 'work.implement success'),
      'work.plan success',
      ...names.map(() => 'work.review success'),
    ]);
  });
});

describe('serve --work', { timeout: 120_000 }, () => {
  test('plans and works on items while the page is served, until it is stopped', async ({
    openWorkScene,
  }) => {
    const scene = await openWorkScene({
      plan: `give(${JSON.stringify(PLAN_ONE)});`,
      one: WRITES_ONE,
    });
    const server = scene.cli.start(['serve', '--work', '--port', '0']);
    await expect.poll(scene.statuses, { timeout: 60_000, interval: 200 }).toEqual({ one: 'approved' });
    expect((await fetch(new URL('/pair', server.stdout().trim()))).status).toBe(200);
    server.kill('SIGTERM');
    expect((await server.done).code).toBe(130);
  });
});
