import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFile,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createEmbeddedEngine } from '../../src/adapters/run-store/embedded-engine.ts';
import {
  formatIdentity,
  type ProcessIdentity,
  thisProcess,
} from '../../src/adapters/run-store/process-identity.ts';
import { systemClock } from '../../src/adapters/system/clock.ts';
import type { EventDraft } from '../../src/contracts/run/event.ts';
import { LeaseLost } from '../../src/contracts/run/run-lease.ts';
import type { LeaseTiming } from '../../src/node/lease-watch.ts';
import type { DrivenRun, RunStore } from '../../src/ports/run-store.ts';

const RUN = '01990000-0000-7000-8000-000000000001';
const SHORT: LeaseTiming = { leaseMs: 300, renewMs: 60 };
const FOREIGN = { boot: '0000deadbeef' };

let root: string;
let path: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'conductor-lock-'));
  path = join(root, '.tnh/run', RUN);
});

afterEach(() => rm(root, { recursive: true, force: true }));

function openStore(lease?: LeaseTiming): RunStore {
  const place = { repoRoot: root, runsDir: join(root, '.tnh/run'), clock: systemClock };
  return createEmbeddedEngine(lease === undefined ? place : { ...place, lease });
}

function note(text: string): EventDraft {
  return { event_type: 'status_updated', step_id: null, payload: { note: text } };
}

async function recordRun(...notes: string[]): Promise<void> {
  const run = await openStore().create(RUN, null);
  for (const text of notes) await run.append([note(text)]);
  await run.release();
}

async function expectDriven(store = openStore()): Promise<DrivenRun> {
  const driven = await store.drive(RUN);
  if (!driven.ok) throw new Error(`not driven: ${driven.problem.kind}`);
  return driven.run;
}

/** A lock that another process left, with a lease that it renewed so long ago. */
async function leaveLock(holder: Partial<ProcessIdentity>, ageMs = 0): Promise<void> {
  const lock = join(path, `lock.${formatIdentity({ ...thisProcess(), ...holder })}.0011`);
  await writeFile(lock, '');
  const time = (Date.now() - ageMs) / 1000;
  await utimes(lock, time, time);
}

async function deadPid(): Promise<number> {
  const child = spawn(process.execPath, ['-e', '0']);
  await once(child, 'exit');
  return child.pid ?? 0;
}

const locks = async () => (await readdir(path)).filter((name) => name.startsWith('lock'));
const log = () => readFile(join(path, 'events.ndjson'), 'utf8');

/** As a process that is stopped, or busy, for so long: nothing of it runs meanwhile. */
function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

describe('the lock of a run', () => {
  it('lets one process drive, and the others learn which, where, and until when', async () => {
    const run = await openStore().create(RUN, null);
    const refused = await openStore().drive(RUN);
    const driver = {
      worker: null,
      pid: process.pid,
      host: thisProcess().host,
      leaseUntil: expect.any(String),
    };
    expect(refused).toEqual({ ok: false, problem: { kind: 'driven', driver } });
    const leftMs =
      refused.ok || refused.problem.kind !== 'driven'
        ? 0
        : Date.parse(refused.problem.driver.leaseUntil ?? '') - Date.now();
    expect(leftMs).toBeGreaterThan(10_000);
    expect(leftMs).toBeLessThanOrEqual(15_000);
    await run.append([note('a')]);
    await run.release();
    await (await expectDriven()).release();
  });

  it('is taken over at once when its process is gone', async () => {
    await recordRun('a');
    await leaveLock({ pid: await deadPid(), started: '1' });
    const run = await expectDriven();
    expect(await locks()).toHaveLength(1);
    await run.release();
    expect(await locks()).toEqual([]);
  });

  it('goes to one of many that find the same stale one at once', async () => {
    await recordRun('a');
    await leaveLock({ pid: await deadPid(), started: '1' });
    const store = openStore();
    const driven = await Promise.all(Array.from({ length: 6 }, () => store.drive(RUN)));
    const winners = driven.flatMap((result) => (result.ok ? [result.run] : []));
    expect(winners).toHaveLength(1);
    expect(await locks()).toHaveLength(1);
    for (const run of winners) await run.release();
  });

  it.runIf(process.platform === 'linux')(
    'is taken over when its pid belongs to a later process',
    async () => {
      await recordRun('a');
      await leaveLock({ started: '1' });
      const run = await expectDriven();
      expect(await locks()).toHaveLength(1);
      await run.release();
    },
  );
});

describe('the lock of a process that cannot be looked up', () => {
  it.each<[string, Partial<ProcessIdentity>]>([
    ['another boot', FOREIGN],
    ['another PID namespace', { pidNamespace: '1' }],
    ['an earlier version', { boot: '', pidNamespace: '', host: '' }],
  ])('holds until its lease has run out: %s', async (_where, holder) => {
    await recordRun('a');
    await leaveLock({ ...holder, pid: 4321 }, 14_000);
    expect(await openStore().drive(RUN)).toMatchObject({
      problem: { kind: 'driven', driver: { pid: 4321 } },
    });
    await leaveLock({ ...holder, pid: 4321 }, 16_000);
    await (await expectDriven()).release();
    expect(await locks()).toEqual([]);
  });

  it('is shown as the driver until its lease has run out', async () => {
    await recordRun('a');
    await leaveLock({ ...FOREIGN, pid: 4321 }, 14_000);
    expect(await openStore().read(RUN)).toMatchObject({ run: { driver: { pid: 4321 } } });
    expect(await openStore().list()).toMatchObject([{ driver: { pid: 4321 } }]);
    await leaveLock({ ...FOREIGN, pid: 4321 }, 16_000);
    expect(await openStore().read(RUN)).toMatchObject({ run: { driver: null } });
    expect(await locks()).toHaveLength(1);
  });

  it('goes to one of many once its lease has run out', async () => {
    await recordRun('a');
    await leaveLock(FOREIGN, 16_000);
    const store = openStore();
    const driven = await Promise.all(Array.from({ length: 6 }, () => store.drive(RUN)));
    const winners = driven.flatMap((result) => (result.ok ? [result.run] : []));
    expect(winners).toHaveLength(1);
    for (const run of winners) await run.release();
  });

  it('is held no longer than a lease after the clock was set back', async () => {
    await recordRun('a');
    await leaveLock(FOREIGN, -3_600_000);
    // Longer than contenders wait for each other, so that the first one is refused.
    const store = openStore({ leaseMs: 1_200, renewMs: 100 });
    expect((await store.drive(RUN)).ok).toBe(false);
    const driven = await vi.waitUntil(
      async () => {
        const result = await store.drive(RUN);
        return result.ok ? result.run : null;
      },
      { timeout: 30_000 },
    );
    await driven?.release();
  });

  it('makes the driver that takes over continue in a new file, so that a late write ends nowhere', async () => {
    await recordRun('a');
    await leaveLock(FOREIGN, 16_000);
    const before = await stat(join(path, 'events.ndjson'));
    const run = await expectDriven();
    expect((await stat(join(path, 'events.ndjson'))).ino).not.toBe(before.ino);
    await run.append([note('b')]);
    await run.release();
    expect(await openStore().read(RUN)).toMatchObject({
      ok: true,
      run: { events: [{ seq: 0 }, { seq: 1 }] },
    });
  });
});

describe('a lease', () => {
  it('is renewed for as long as the run is driven', async () => {
    const run = await openStore(SHORT).create(RUN, null);
    const [lock = ''] = await locks();
    const made = (await stat(join(path, lock))).mtimeMs;
    await expect
      .poll(async () => (await stat(join(path, lock))).mtimeMs)
      .toBeGreaterThan(made + SHORT.leaseMs);
    await run.append([note('a')]);
    expect(run.lease.lost.aborted).toBe(false);
    await run.release();
  });

  it('that was missed is noticed before the next write, and nothing is written', async () => {
    const run = await openStore(SHORT).create(RUN, null);
    await run.append([note('a')]);
    const before = await log();
    standStill(2 * SHORT.leaseMs);
    await expect(run.append([note('b')])).rejects.toThrow(LeaseLost);
    await expect(run.append([note('b')])).rejects.toThrow(
      /^the lease on run .* ran out: this process last renewed/,
    );
    await expect(run.directory.write('status.json', '{}')).rejects.toThrow(LeaseLost);
    await expect(run.inbox.post('once.json', '{}')).rejects.toThrow(LeaseLost);
    await expect(run.directory.appendText('notes.txt', 'x')).rejects.toThrow(LeaseLost);
    await expect(run.directory.makeStepFolder('step', 1)).rejects.toThrow(LeaseLost);
    expect(run.lease.lost.reason).toBeInstanceOf(LeaseLost);
    expect(await log()).toBe(before);
    await run.release();
    expect((await readdir(path)).sort()).toEqual([
      'artifacts',
      'events.ndjson',
      'harness',
      'logs',
      'screenshots',
    ]);
    const again = await expectDriven();
    await again.append([note('b')]);
    await again.release();
  });

  it('that was missed is reported without a write', async () => {
    const run = await openStore(SHORT).create(RUN, null);
    const lost = once(run.lease.lost, 'abort');
    standStill(2 * SHORT.leaseMs);
    await lost;
    expect(run.lease.lost.reason).toBeInstanceOf(LeaseLost);
    await run.release();
  });

  it('that another process has taken is not taken back', async () => {
    const run = await openStore().create(RUN, null);
    await run.append([note('a')]);
    const [own = ''] = await locks();
    await rm(join(path, own));
    await leaveLock({ ...FOREIGN, pid: 4321, host: 'other' });
    const before = await log();
    await expect(run.append([note('b')])).rejects.toThrow(
      `process 4321 on host other has taken over run ${RUN}`,
    );
    expect(await log()).toBe(before);
    await run.release();
    expect(await locks()).toEqual([expect.stringMatching(/^lock\.4321\./)]);
  });

  it('that was released allows no write', async () => {
    const run = await openStore().create(RUN, null);
    await run.release();
    await expect(run.directory.write('status.json', '{}')).rejects.toThrow(`has released run ${RUN}`);
    expect(await locks()).toEqual([]);
  });

  it('survives an agent that removes its lock file', async () => {
    const run = await openStore().create(RUN, null);
    const before = await locks();
    await rm(join(path, before[0] ?? ''));
    await run.append([note('a')]);
    expect(await locks()).toEqual(before);
    await run.release();
  });
});

describe('a log that changed behind the back of its driver', () => {
  it.each<[string, () => Promise<void>, RegExp]>([
    [
      'grew',
      () => appendFile(join(path, 'events.ndjson'), '{}\n'),
      /has \d+ bytes where this process left \d+/,
    ],
    [
      'has another last line of the same length',
      async () => writeFile(join(path, 'events.ndjson'), (await log()).replace('"b"', '"x"')),
      /the last line of .* is not the one that this process left/,
    ],
    [
      'was replaced by one that goes further',
      async () => {
        await writeFile(join(path, 'other'), `${await log()}{}\n`);
        await rename(join(path, 'other'), join(path, 'events.ndjson'));
      },
      /another process has continued/,
    ],
  ])('is not appended to: it %s', async (_how, change, message) => {
    await recordRun('a', 'b');
    const run = await expectDriven();
    await change();
    const before = await log();
    await expect(run.append([note('c')])).rejects.toThrow(message);
    await expect(run.append([note('d')])).rejects.toThrow(message);
    expect(await log()).toBe(before);
    await run.release();
  });

  it('is not appended to either when several runs are flushed together', async () => {
    const other = RUN.replace(/1$/, '2');
    const store = openStore();
    const runs = [await store.create(RUN, null), await store.create(other, null)];
    await Promise.all(runs.map((run) => run.append([note('a')])));
    await appendFile(join(path, 'events.ndjson'), '{}\n');
    const before = await log();
    const [first, second] = await Promise.allSettled(runs.map((run) => run.append([note('b')])));
    expect(first?.status).toBe('rejected');
    expect(second?.status).toBe('fulfilled');
    expect(await log()).toBe(before);
    for (const run of runs) await run.release();
    expect(await openStore().read(other)).toMatchObject({
      ok: true,
      run: { events: [{ seq: 0 }, { seq: 1 }] },
    });
  });
});
