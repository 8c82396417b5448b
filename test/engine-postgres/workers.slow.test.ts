import { randomInt } from 'node:crypto';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createPostgresAdmin } from '../../src/adapters/engine-postgres/engine-admin.ts';
import type { RunEvent } from '../../src/contracts/run/event.ts';
import type { StartedCli } from '../../testing/cli.ts';
import { until } from '../e2e/scene.ts';
import { type Cluster, findPostgres, importPackage, startCluster } from './cluster.ts';
import { type Machine, type Machines, openMachines } from './machines.ts';

const programs = findPostgres();

const RUNS = 10;
const KILLS = 3;

const SMALL = `workflow_id: small
version: 1
description: Two small steps.
entry_step: write
steps:
  - id: write
    opcode: RUN_AGENT
    agent: actor
    prompt: |
      write answer.txt 42
      say Implemented the answer.
    routes: { completed: check, error: STOP, killed_timeout: STOP, killed_idle: STOP, killed_policy: STOP }
  - id: check
    opcode: RUN_VALIDATION
    run: [tests]
    routes: { completed: judge, error: judge, killed_timeout: judge, killed_idle: judge, killed_policy: STOP }
  - id: judge
    opcode: EVALUATE
    prompt: planner.evaluate_results.v1
    allowed_next_steps: [STOP]
    routes: { success: STOP, partial: STOP, blocked: STOP, unsafe: STOP, needs_human: STOP }
`;
const LONG = SMALL.replaceAll('small', 'long').replace(
  'write answer.txt 42',
  'write half.txt half\n      hang',
);

interface QueueDocument {
  readonly workers: readonly { readonly name: string }[];
  readonly queue: readonly { readonly run_id: string; readonly reason: { readonly text: string } }[];
}

async function readQueue({ cli }: Machine): Promise<QueueDocument> {
  const { stdout, stderr } = await cli.run(['engine', 'status', '--json']);
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout) as QueueDocument;
}

/** Waits until the queue is as wanted. */
async function awaitQueue(machine: Machine, isWanted: (queue: QueueDocument) => boolean): Promise<void> {
  while (!isWanted(await readQueue(machine))) await pause(200);
}

async function submit({ cli }: Machine, workflow: string): Promise<string> {
  const { stdout, stderr, code } = await cli.run(['run', workflow, '--detach']);
  if (code !== 0) throw new Error(stderr);
  return stdout.trim();
}

function startWorker({ cli }: Machine, name: string): StartedCli {
  return cli.start(['worker', '--name', name, '--slots', '2']);
}

function startsOf(events: readonly RunEvent[]): readonly string[] {
  return events.flatMap((event) =>
    event.event_type === 'runner_started' ? `${event.step_id}@${event.payload.attempt}` : [],
  );
}

// Needs a PostgreSQL server and the packages pg and pg-boss.
describe.skipIf(programs === null)(
  'workers on machines of their own, with a PostgreSQL server between them,',
  () => {
    let cluster: Cluster;
    let machines: Machines;

    beforeAll(async () => {
      cluster = await startCluster(programs ?? '');
      const admin = createPostgresAdmin({ url: cluster.url, importPackage });
      await admin.migrate();
      await admin.close();
    }, 60_000);
    beforeEach(async () => {
      machines = await openMachines(cluster, { 'small.yaml': SMALL, 'long.yaml': LONG });
    });
    afterEach(() => machines?.remove());
    afterAll(() => cluster?.remove());

    it('end all runs although workers are killed at random, and start no attempt twice', async () => {
      const { user } = machines;
      const runIds: string[] = [];
      for (let count = 0; count < RUNS; count += 1) runIds.push(await submit(user, 'small.yaml'));
      const places = await Promise.all(['w0', 'w1', 'w2', 'w3'].map(machines.add));
      const workers = places.map((place, at) => startWorker(place, `w${at}`));
      const delays = Array.from({ length: KILLS }, () => [randomInt(4), randomInt(500, 4000)] as const);
      process.stderr.write(`kills: ${JSON.stringify(delays)}\n`);
      for (const [at, ms] of delays) {
        await pause(ms);
        workers[at]?.kill('SIGKILL');
        await workers[at]?.done;
        const place = places[at];
        if (place !== undefined) workers[at] = startWorker(place, `w${at}`);
      }
      await awaitQueue(user, ({ queue }) => queue.length === 0);
      for (const worker of workers) worker.kill('SIGTERM');
      await Promise.all(workers.map(({ done }) => done));
      for (const runId of runIds) {
        expect((await user.cli.run(['verify', runId])).stdout).toContain('verifies');
        expect((await user.cli.run(['replay', runId])).code).toBe(0);
        const events = await user.eventsOf(runId);
        expect(events.at(-1)?.event_type).toBe('run_completed');
        const starts = startsOf(events);
        expect(new Set(starts).size).toBe(starts.length);
      }
      const listed = JSON.parse((await user.cli.run(['runs', '--json'])).stdout) as {
        readonly runs: readonly { readonly status: { readonly outcome: string } }[];
      };
      expect(listed.runs.map(({ status }) => status.outcome)).toEqual(runIds.map(() => 'success'));
      expect((await user.cli.run(['report', '--json'])).code).toBe(0);
    }, 300_000);

    it('end a run that is cancelled on another machine, and take none of another configuration', async () => {
      const { user } = machines;
      const other = await machines.add('other');
      await writeFile(join(other.root, '.tnh/config.yaml'), 'limits: { max_visits: 3 }\n');
      const stranger = startWorker(other, 'stranger');
      await awaitQueue(user, ({ workers }) => workers.some(({ name }) => name === 'stranger'));
      const runId = await submit(user, 'long.yaml');
      await awaitQueue(user, ({ queue }) =>
        queue.some(({ reason }) => reason.text.startsWith('no worker has its configuration and policies')),
      );
      const place = await machines.add('own');
      const worker = startWorker(place, 'own');
      const follower = user.cli.start(['resume', runId]);
      await until(() => existsSync(join(place.checkout(runId), 'half.txt')));
      await awaitQueue(user, ({ queue }) =>
        queue.some(({ reason }) => reason.text.startsWith('driven by worker own')),
      );
      const leaver = user.cli.start(['resume', runId]);
      await until(() => leaver.stderr() !== '');
      leaver.kill('SIGINT');
      const left = await leaver.done;
      expect([left.code, left.stderr]).toEqual([
        130,
        expect.stringContaining('stopped following; the run goes on'),
      ]);
      const started = performance.now();
      const cancelled = await user.cli.run(['cancel', runId]);
      expect([cancelled.code, cancelled.stderr]).toEqual([0, `cancelled run ${runId}\n`]);
      expect(performance.now() - started).toBeLessThan(10_000);
      const followed = await follower.done;
      expect([followed.code, followed.stderr]).toEqual([130, expect.stringContaining('cancelled')]);
      expect(stranger.stderr()).not.toContain(runId);
      for (const each of [stranger, worker]) each.kill('SIGTERM');
      await Promise.all([stranger.done, worker.done]);
    }, 120_000);
  },
);
