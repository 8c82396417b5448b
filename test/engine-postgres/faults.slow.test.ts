import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/adapters/system/clock.ts';
import type { EventDraft, RunEvent } from '../../src/contracts/run/event.ts';
import { LeaseLost, LogWentBack } from '../../src/contracts/run/run-lease.ts';
import { parseLog } from '../../src/node/event-lines.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { Claim, Engine } from '../../src/ports/engine.ts';
import type { DrivenRun } from '../../src/ports/run-store.ts';
import { settleGate, submitAnswer } from '../../src/runtime/gates/open-gates.ts';
import type { AwaitingView } from '../../src/runtime/record/run-view.ts';
import { createRandom } from '../../src/simulation/crashtest.ts';
import { type Cluster, findPostgres, startCluster } from './cluster.ts';
import { type EngineScene, openScene } from './engine-scene.ts';
import { startProxy } from './proxy.ts';

const programs = findPostgres();
const RUN = '01990000-0000-7000-8000-000000000001';
const SUBMISSION = { runId: RUN, artifactsDir: null, needs: [], request: '{}' };
const MINUTE_MS = 60_000;
/** `ENGINE_SEED=N` repeats a run. */
const SEED = Number(process.env.ENGINE_SEED ?? Math.floor(Math.random() * 2 ** 31));

function note(text: string): EventDraft {
  return { event_type: 'status_updated', step_id: null, payload: { note: text } };
}

function clockAhead(ms: number): Clock {
  return { ...systemClock, now: () => new Date(Date.now() + ms) };
}

function notesOf(events: readonly RunEvent[]): readonly string[] {
  return events.map((event) => ('note' in event.payload ? String(event.payload.note) : event.event_type));
}

async function recorded(engine: Engine): Promise<readonly string[]> {
  const read = await engine.read(RUN);
  assert.ok(read.ok);
  return notesOf(read.run.events);
}

async function drive(engine: Engine): Promise<DrivenRun> {
  const driven = await engine.drive(RUN);
  assert.ok(driven.ok);
  return driven.run;
}

async function awaitClaim(engine: Engine): Promise<Claim> {
  for (;;) {
    const claim = await engine.claim([]);
    if (claim !== null) return claim;
    await sleep(100);
  }
}

// Needs a PostgreSQL server and the packages pg and pg-boss.
describe.skipIf(programs === null)('the engine postgres', () => {
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

  async function expireLease(): Promise<void> {
    await scene.query(`update conductor.runs set lease_until = now() - interval '1 second'`);
  }

  it('refuses each late append of drivers that lost the run, whenever it comes', async () => {
    const random = createRandom(SEED);
    const here = scene.open();
    let holder: DrivenRun = await here.create(RUN, null);
    const expected: string[] = [];
    const rounds = 60;
    for (let round = 0; round < rounds; round += 1) {
      const before = `${round} before`;
      await holder.append([note(before)]);
      expected.push(before);
      await expireLease();
      const late = holder;
      const machine = scene.open({ machine: `machine-${round % 3}` });
      // The late append races with the claim, and with the first append of the next driver.
      const [lateEnd, next] = await Promise.all([
        sleep(random.next() * 8).then(() =>
          late.append([note(`${round} late`)]).then(
            () => 'appended',
            (error: unknown) => error,
          ),
        ),
        sleep(random.next() * 8).then(async () => {
          const driven = await drive(machine);
          const seen = notesOf(driven.events);
          await driven.append([note(`${round} next`)]);
          return { driven, seen };
        }),
      ]);
      const isLateRecorded = next.seen.includes(`${round} late`);
      if (isLateRecorded) expected.push(`${round} late`);
      expected.push(`${round} next`);
      // Before the claim it is an append like any other; after it, it is refused.
      expect(lateEnd === 'appended', `seed ${SEED}, round ${round}`).toBe(isLateRecorded);
      if (!isLateRecorded) expect(lateEnd).toBeInstanceOf(LeaseLost);
      await expect(late.append([note('later')])).rejects.toThrow(LeaseLost);
      holder = next.driven;
    }
    process.stderr.write(`late appends: seed ${SEED}, ${rounds} rounds\n`);
    expect(await recorded(here)).toEqual(expected);
  }, 60_000);

  it('loses nothing when the server crashes in the middle of a drive', async () => {
    const driving = scene.open();
    const reader = scene.open({ machine: 'reader' });
    const run = await driving.create(RUN, null);
    const total = 200;
    const tailed: string[] = [];
    const enough = new AbortController();
    const following = (async () => {
      for await (const events of reader.tail(RUN, { from: 0, signal: enough.signal })) {
        tailed.push(...notesOf(events));
        if (tailed.length >= total) enough.abort();
      }
    })();
    let crashes = 0;
    let crashing: Promise<void> = Promise.resolve();
    for (let count = 0; count < total; count += 1) {
      if (count % 60 === 30)
        crashing = crashing
          .then(() => cluster.restart('immediate'))
          .then(() => {
            crashes += 1;
          });
      const written = await run.directory.write(`artifacts/work/${count % 10}.txt`, `content ${count}`);
      await run.append([
        note(String(count)),
        { event_type: 'artifact_recorded', step_id: 'work', payload: { role: 'x', ...written } },
      ]);
      if (count % 60 === 45) await crashing;
    }
    await crashing;
    expect(crashes).toBe(3);
    await run.release();
    const numbers = Array.from({ length: total }, (_, index) => String(index));
    const all = await recorded(reader);
    expect(all.filter((text) => text !== 'artifact_recorded')).toEqual(numbers);
    expect(all).toHaveLength(2 * total);
    await following;
    expect(tailed).toEqual(all.slice(0, tailed.length));
    await reader.fetch(RUN);
    const read = await reader.read(RUN);
    assert.ok(read.ok);
    const fetched = await readFile(join(read.run.directory.path, 'events.ndjson'));
    const local = await readFile(join(run.directory.path, 'events.ndjson'));
    expect(fetched.equals(local)).toBe(true);
    expect(parseLog(fetched)).toMatchObject({ ok: true, end: { seq: 2 * total } });
    expect(await readFile(join(read.run.directory.path, 'artifacts/work/9.txt'), 'utf8')).toBe('content 199');
  }, 120_000);

  it('knows an append, a message and a submission again whose answers were lost', async () => {
    const proxy = await startProxy(cluster.url);
    onTestFinished(() => proxy.close());
    const engine = scene.open({ url: proxy.url });
    proxy.loseAnswerTo('insert into conductor.runs');
    await engine.submit(SUBMISSION);
    expect(await engine.queue()).toHaveLength(1);
    const { run } = await awaitClaim(engine);
    proxy.loseAnswerTo('insert into conductor.events');
    await run.append([note('a')]);
    proxy.loseAnswerTo('insert into conductor.inbox');
    expect(await run.inbox.post('answer.json', 'mine')).toBe('posted');
    expect(await run.inbox.post('answer.json', 'again')).toBe('taken');
    await run.append([note('b')]);
    expect(proxy.lost()).toBe(3);
    expect(await recorded(engine)).toEqual(['a', 'b']);
    expect(await run.inbox.read('answer.json')).toBe('mine');
    await run.release({ kind: 'never' });
    expect(await engine.queue()).toEqual([]);
  }, 30_000);

  it('has one answer when an approval meets the expiry, 200 times, with clocks that are off by minutes', async () => {
    const random = createRandom(SEED);
    const driving = scene.open({ clock: clockAhead(-5 * MINUTE_MS) });
    const { inbox, append } = await driving.create(RUN, null);
    await append([note('a')]);
    const answering = await scene.open({ machine: 'laptop', clock: clockAhead(5 * MINUTE_MS) }).read(RUN);
    assert.ok(answering.ok);
    const sender = answering.run.inbox;
    const rounds = 200;
    let approvals = 0;
    for (let round = 0; round < rounds; round += 1) {
      const expiryMs = (await inbox.now()).getTime() + 4 + Math.round(random.next() * 8);
      const awaiting: AwaitingView = {
        gate: 'ask',
        stepId: 'ask',
        attempt: round + 1,
        reason: '',
        approvers: [],
        timeout_ms: 1,
        tree: 'tree',
        request_sha256: 'request',
        requestedAt: new Date(0).toISOString(),
        expiresAt: new Date(expiryMs).toISOString(),
      };
      const approve = async () => {
        await sleep(random.next() * 16);
        return submitAnswer(sender, awaiting, {
          answer: 'gate_approved',
          by: 'reviewer',
          comment: null,
          answered_at: new Date().toISOString(),
          request_sha256: 'request',
          tree: 'tree',
          workflow_digest: null,
          evidence: null,
        });
      };
      const settle = async () => {
        for (;;) {
          const settled = await settleGate(inbox, awaiting);
          if (settled !== null) return settled.answer;
        }
      };
      const [told, settled] = await Promise.all([approve(), settle()]);
      if (told === 'posted') approvals += 1;
      expect([told === 'posted', settled], `seed ${SEED}, round ${round}`).toEqual(
        told === 'posted' ? [true, 'gate_approved'] : [false, 'gate_timed_out'],
      );
      expect((await settleGate(sender, awaiting))?.answer).toBe(settled);
    }
    process.stderr.write(`approval against expiry: seed ${SEED}, ${approvals} of ${rounds} approved\n`);
    expect(approvals).toBeGreaterThan(0);
    expect(approvals).toBeLessThan(rounds);
  }, 60_000);

  it('gives the run of a killed driver to another one within the lease and five seconds', async () => {
    const leaseMs = 15_000;
    await scene.open().submit(SUBMISSION);
    const driver = await startDriver(leaseMs);
    const killedAt = performance.now();
    driver.child.kill('SIGKILL');
    await once(driver.child, 'exit');
    const other = scene.open({ machine: 'other' });
    const claim = await awaitClaim(other);
    const takenAfterMs = performance.now() - killedAt;
    process.stderr.write(`a killed driver was replaced after ${(takenAfterMs / 1000).toFixed(1)} s\n`);
    expect(takenAfterMs).toBeLessThan(leaseMs + 5_000);
    expect(notesOf(claim.run.events)).toEqual(['by the first driver']);
    await claim.run.append([note('by the second')]);
    await claim.run.release({ kind: 'never' });
    expect(await recorded(other)).toEqual(['by the first driver', 'by the second']);
  }, 60_000);

  it('refuses the append of a driver that was frozen past its lease', async () => {
    await scene.open().submit(SUBMISSION);
    const driver = await startDriver(2_000);
    driver.child.kill('SIGSTOP');
    const claim = await awaitClaim(scene.open({ machine: 'other' }));
    await claim.run.append([note('by the second')]);
    driver.child.stdin?.write('append\n');
    driver.child.kill('SIGCONT');
    expect(await driver.said((line) => 'refused' in line || 'appended' in line)).toEqual({
      refused: 'LeaseLost',
    });
    await claim.run.release({ kind: 'never' });
    expect(await recorded(scene.open())).toEqual(['by the first driver', 'by the second']);
  }, 60_000);

  it('appends nothing to a log that went back, and says so to the driver, its successor and readers', async () => {
    const here = scene.open();
    const reader = scene.open({ machine: 'reader' });
    const run = await here.create(RUN, null);
    await run.append([note('a')]);
    await cluster.save();
    await run.append([note('b'), note('c')]);
    expect(await recorded(reader)).toEqual(['a', 'b', 'c']);
    await cluster.failOver();
    await expect(run.append([note('d')])).rejects.toThrow(
      /went back: the database had acknowledged 3 events, and 1 are left/,
    );
    expect(run.lease.lost.reason).toBeInstanceOf(LogWentBack);
    await expect(run.append([note('e')])).rejects.toThrow(LogWentBack);
    await run.release();
    const following = reader
      .tail(RUN, { from: 3, signal: new AbortController().signal })
      [Symbol.asyncIterator]();
    await expect(following.next()).rejects.toThrow(LogWentBack);
    await expireLease();
    await expect(scene.open().drive(RUN)).rejects.toThrow(LogWentBack);
    expect(await recorded(scene.open())).toEqual(['a']);
  }, 60_000);

  it('does not mistake another claim of the same number for its own after the log went back', async () => {
    const first = scene.open();
    const started = await first.create(RUN, null);
    await started.append([note('a')]);
    await started.release();
    await cluster.save();
    const stale = await drive(first);
    await cluster.failOver();
    const next = await drive(scene.open({ machine: 'other' }));
    await expect(stale.append([note('b')])).rejects.toThrow(/the claim of this process is gone/);
    await next.append([note('c')]);
    expect(await recorded(first)).toEqual(['a', 'c']);
    await next.release();
  }, 60_000);

  interface StartedDriver {
    readonly child: ChildProcess;
    readonly said: (is: (line: Record<string, unknown>) => boolean) => Promise<Record<string, unknown>>;
  }

  /** Starts a worker process, and returns once it drives the run. */
  async function startDriver(leaseMs: number): Promise<StartedDriver> {
    const root = join(scene.blobs, '..', 'doomed');
    await mkdir(root, { recursive: true });
    const script = join(import.meta.dirname, 'driver.mjs');
    const child = spawn(process.execPath, [script, cluster.url, root, scene.blobs, String(leaseMs)], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const said: StartedDriver['said'] = async (is) => {
      for (;;) {
        const next = await lines.next();
        assert.ok(next.done !== true, 'the driver ended');
        const line = JSON.parse(next.value) as Record<string, unknown>;
        if (is(line)) return line;
      }
    };
    await said((line) => 'claimed' in line);
    return { child, said };
  }
});
