import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type EventDraft, FIRST_PREV, type RunEvent } from '../src/contracts/run/event.ts';
import type { PostResult } from '../src/contracts/run/post-terms.ts';
import { LeaseLost } from '../src/contracts/run/run-lease.ts';
import type { Claim, Engine } from '../src/ports/engine.ts';
import type { DrivenRun } from '../src/ports/run-store.ts';

/** An engine without runs. */
export interface EngineWorld {
  readonly engine: Engine;
  /** The same runs, as another process has them. */
  readonly reopen: () => Promise<Engine>;
  /** Drives a run as another process does when the lease of its driver has run out although that driver still works. */
  readonly takeOver: (runId: string) => Promise<DrivenRun>;
}

export interface EngineCase {
  readonly name: string;
  readonly run: (world: EngineWorld) => Promise<void>;
}

const RUN = '01990000-0000-7000-8000-000000000001';
const OTHER = '01990000-0000-7000-8000-000000000002';
const HARD = `"quotes" 'single' \u2028 \ud83d\ude00 \r\n\t\\ é`;
/** How long a case waits for something that has to come. */
const PATIENCE_MS = 20_000;
const SOON_MS = 400;
const LATER_MS = 60_000;

function note(text: string): EventDraft {
  return { event_type: 'status_updated', step_id: null, payload: { note: text } };
}

const END: EventDraft = {
  event_type: 'run_completed',
  step_id: null,
  payload: {
    lifecycle_state: 'completed',
    outcome: 'success',
    termination: 'success',
    reason: null,
    head_sha: null,
  },
};

function notesOf(events: readonly RunEvent[]): string[] {
  return events.flatMap((event) =>
    event.event_type === 'status_updated' && 'note' in event.payload
      ? String(event.payload.note)
      : event.event_type,
  );
}

async function recordedNotes(engine: Engine): Promise<string[]> {
  const read = await engine.read(RUN);
  assert.ok(read.ok);
  return notesOf(read.run.events);
}

async function expectDriven(engine: Engine): Promise<DrivenRun> {
  const driven = await engine.drive(RUN);
  assert.ok(driven.ok);
  return driven.run;
}

function submission(runId: string, needs: readonly string[] = []) {
  return { runId, artifactsDir: null, needs, request: HARD };
}

/** Claims again and again until a run is due. */
async function awaitClaim(engine: Engine, labels: readonly string[]): Promise<Claim> {
  for (const deadline = performance.now() + PATIENCE_MS; performance.now() < deadline; await sleep(20)) {
    const claim = await engine.claim(labels);
    if (claim !== null) return claim;
  }
  throw new assert.AssertionError({ message: 'no run became due' });
}

/** Collects the notes of a tail until it has so many, or until it ends. */
async function tailNotes(engine: Engine, from: number, count = Number.POSITIVE_INFINITY): Promise<string[]> {
  const enough = new AbortController();
  const seen: string[] = [];
  for await (const events of engine.tail(RUN, { from, signal: enough.signal })) {
    seen.push(...notesOf(events));
    if (seen.length >= count) enough.abort();
  }
  return seen;
}

const LOG_CASES: readonly EngineCase[] = [
  {
    name: 'has no run before the first one',
    run: async ({ engine }) => {
      assert.deepEqual(await engine.list(), []);
      assert.deepEqual(await engine.match(''), []);
      assert.deepEqual(await engine.queue(), []);
      assert.equal(await engine.claim([]), null);
      assert.deepEqual(await engine.read(RUN), { ok: false, problem: { kind: 'missing' } });
      assert.deepEqual(await engine.drive(RUN), { ok: false, problem: { kind: 'missing' } });
    },
  },
  {
    name: 'numbers the events from 0, chains them, and gives another process the same bytes',
    run: async ({ engine, reopen }) => {
      const run = await engine.create(RUN, null);
      const appended = [
        ...(await run.append([note('a'), note(HARD)])),
        ...(await run.append([])),
        ...(await run.append([note('c')])),
      ];
      assert.deepEqual(
        appended.map(({ seq }) => seq),
        [0, 1, 2],
      );
      await run.release();
      const other = await reopen();
      const read = await other.read(RUN);
      assert.ok(read.ok);
      assert.deepEqual(read.run.events, appended);
      await other.fetch(RUN);
      const lines = (await readFile(join(read.run.directory.path, 'events.ndjson'), 'utf8')).split('\n');
      assert.equal(lines.pop(), '');
      assert.deepEqual(
        lines.map((line) => JSON.parse(line) as RunEvent),
        appended,
      );
      const heads = lines.map((line) => createHash('sha256').update(line).digest('hex'));
      assert.deepEqual(
        appended.map(({ prev }) => prev),
        [FIRST_PREV, ...heads.slice(0, -1)],
      );
    },
  },
  {
    name: 'keeps the order of events that are flushed now and later, also for the next driver',
    run: async ({ engine, reopen }) => {
      const run = await engine.create(RUN, null);
      const appended = [
        ...(await run.append([note('a')], 'later')),
        ...(await run.append([note('b')])),
        ...(await run.append([note('c')], 'later')),
      ];
      assert.deepEqual(
        appended.map(({ seq }) => seq),
        [0, 1, 2],
      );
      assert.deepEqual(await recordedNotes(engine), ['a', 'b', 'c']);
      await run.release();
      const next = await expectDriven(await reopen());
      assert.deepEqual(notesOf(next.events), ['a', 'b', 'c']);
      await next.release();
    },
  },
  {
    name: 'continues a log where the last driver left it',
    run: async ({ engine, reopen }) => {
      const first = await engine.create(RUN, null);
      await first.append([note('a')]);
      await first.release();
      const next = await expectDriven(await reopen());
      assert.deepEqual(notesOf(next.events), ['a']);
      assert.equal((await next.append([note('b')]))[0]?.seq, 1);
      await next.release();
      assert.deepEqual(await recordedNotes(engine), ['a', 'b']);
    },
  },
  {
    name: 'keeps the files that a driver writes',
    run: async ({ engine, reopen }) => {
      const run = await engine.create(RUN, null);
      const folder = await run.directory.makeStepFolder('write', 1);
      const digest = await run.directory.write(`${folder}/final.md`, HARD, { durable: true });
      await run.directory.sync([digest.path]);
      await run.append([note('written')]);
      await run.release();
      const other = await reopen();
      await other.fetch(RUN);
      const read = await other.read(RUN);
      assert.ok(read.ok);
      assert.equal(await read.run.directory.read(digest.path), HARD);
    },
  },
  {
    name: 'leaves nothing of a run that was discarded',
    run: async ({ engine, reopen }) => {
      await (await engine.create(RUN, null)).discard();
      assert.deepEqual(await (await reopen()).list(), []);
      assert.deepEqual(await engine.match(''), []);
    },
  },
  {
    name: 'lists and matches runs, newest first, with their drivers',
    run: async ({ engine, reopen }) => {
      const driven = await engine.create(RUN, null);
      await driven.append([note('a')]);
      const released = await engine.create(OTHER, null);
      await released.append([note('b')]);
      await released.release();
      const other = await reopen();
      const listed = await other.list();
      assert.deepEqual(
        listed.map(({ runId, driver }) => [runId, driver?.pid ?? null]),
        [
          [OTHER, null],
          [RUN, process.pid],
        ],
      );
      assert.deepEqual(
        (await other.list([RUN])).map(({ runId }) => runId),
        [RUN],
      );
      assert.deepEqual([...(await other.match(RUN.slice(0, 8)))].sort(), [RUN, OTHER]);
      assert.deepEqual(await other.match(OTHER), [OTHER]);
      await driven.release();
      assert.deepEqual(
        (await other.list()).map(({ driver }) => driver),
        [null, null],
      );
    },
  },
];

const DRIVER_CASES: readonly EngineCase[] = [
  {
    name: 'refuses a second driver and names the first',
    run: async ({ engine, reopen }) => {
      const run = await engine.create(RUN, null);
      await run.append([note('a')]);
      const refused = await (await reopen()).drive(RUN);
      assert.ok(!refused.ok && refused.problem.kind === 'driven');
      assert.equal(refused.problem.driver.pid, process.pid);
      await assert.rejects(engine.create(RUN, null));
      await run.append([note('b')]);
      await run.release();
      assert.deepEqual(await recordedNotes(engine), ['a', 'b']);
    },
  },
  {
    name: 'lets one of many drive a run',
    run: async ({ engine, reopen }) => {
      const made = await engine.create(RUN, null);
      await made.append([note('a')]);
      await made.release();
      const engines = await Promise.all([reopen(), reopen(), reopen(), reopen()]);
      const results = await Promise.all(engines.map((each) => each.drive(RUN)));
      const driven = results.flatMap((result) => (result.ok ? [result.run] : []));
      assert.equal(driven.length, 1);
      await driven[0]?.release();
    },
  },
  {
    name: 'refuses every append of an earlier driver, although nothing was appended since',
    run: async ({ engine, takeOver }) => {
      const stale = await engine.create(RUN, null);
      await stale.append([note('a')]);
      const next = await takeOver(RUN);
      await assert.rejects(stale.append([note('late')]), LeaseLost);
      await assert.rejects(stale.append([note('later')]), LeaseLost);
      await assert.rejects(stale.directory.write('late.txt', 'late'), LeaseLost);
      assert.ok(stale.lease.lost.aborted);
      assert.throws(() => stale.lease.expectHeld(), LeaseLost);
      await next.append([note('b')]);
      await stale.release();
      next.lease.expectHeld();
      await next.append([note('c')]);
      await next.release();
      assert.deepEqual(await recordedNotes(engine), ['a', 'b', 'c']);
    },
  },
  {
    name: 'refuses an append of a driver whose place in the log another driver has filled',
    run: async ({ engine, takeOver }) => {
      const stale = await engine.create(RUN, null);
      await stale.append([note('a')]);
      const next = await takeOver(RUN);
      await next.append([note('b')]);
      await next.release();
      await assert.rejects(stale.append([note('late')]));
      assert.deepEqual(await recordedNotes(engine), ['a', 'b']);
      await stale.release();
    },
  },
];

const INBOX_CASES: readonly EngineCase[] = [
  {
    name: 'takes the first message of a key, and tells each sender whether it counts',
    run: async ({ engine, reopen }) => {
      const run = await engine.create(RUN, null);
      await run.append([note('a')]);
      const senders = await Promise.all([reopen(), reopen(), reopen(), reopen()]);
      const texts = senders.map((_, index) => `${index} ${HARD}`);
      const results = await Promise.all(
        senders.map(async (sender, index) => {
          const read = await sender.read(RUN);
          assert.ok(read.ok);
          return read.run.inbox.post('artifacts/ask/answer.json', texts[index] ?? '');
        }),
      );
      assert.deepEqual([...results].sort(), ['posted', 'taken', 'taken', 'taken']);
      const winner = texts[results.indexOf('posted')];
      assert.equal(await run.inbox.read('artifacts/ask/answer.json'), winner);
      assert.equal(await run.directory.read('artifacts/ask/answer.json'), winner);
      assert.equal(await run.inbox.read('cancel_request.json'), null);
      assert.equal(await run.inbox.post('cancel_request.json', '{}'), 'posted');
      await run.release();
    },
  },
  {
    name: 'refuses a message that comes too late or too early, and keeps nothing of it',
    run: async ({ engine }) => {
      const { inbox, release } = await engine.create(RUN, null);
      const nowMs = (await inbox.now()).getTime();
      assert.equal(await inbox.post('a.json', 'late', { beforeMs: nowMs - 1 }), 'too_late');
      assert.equal(await inbox.post('a.json', 'early', { notBeforeMs: nowMs + LATER_MS }), 'too_early');
      assert.equal(await inbox.read('a.json'), null);
      assert.equal(await inbox.post('a.json', 'in time', { beforeMs: nowMs + LATER_MS }), 'posted');
      assert.equal(await inbox.post('b.json', 'due', { notBeforeMs: nowMs - 1 }), 'posted');
      assert.equal(await inbox.read('a.json'), 'in time');
      await release();
    },
  },
  {
    name: 'has one winner when an answer and the expiry of its gate come at once',
    run: async ({ engine, reopen }) => {
      const { inbox, release, append } = await engine.create(RUN, null);
      await append([note('a')]);
      const sender = await (await reopen()).read(RUN);
      assert.ok(sender.ok);
      for (let round = 0; round < 20; round += 1) {
        const key = `artifacts/ask/answer-${round}.json`;
        const expiryMs = (await inbox.now()).getTime() + 5 + (round % 5);
        const answer = async (): Promise<PostResult> => {
          await sleep(round % 10);
          return sender.run.inbox.post(key, 'approved', { beforeMs: expiryMs });
        };
        const expire = async (): Promise<PostResult> => {
          for (;;) {
            const result = await inbox.post(key, 'timed out', { notBeforeMs: expiryMs });
            if (result !== 'too_early') return result;
            await sleep(1);
          }
        };
        const [answered, expired] = await Promise.all([answer(), expire()]);
        assert.deepEqual(
          [answered === 'posted', expired],
          answered === 'posted' ? [true, 'taken'] : [false, 'posted'],
        );
        assert.equal(await inbox.read(key), answered === 'posted' ? 'approved' : 'timed out');
      }
      await release();
    },
  },
];

const QUEUE_CASES: readonly EngineCase[] = [
  {
    name: 'gives a submitted run to a worker that has all labels it needs',
    run: async ({ engine, reopen }) => {
      await engine.submit(submission(RUN, ['agent=a', 'repo=r']));
      const worker = await reopen();
      assert.equal(await worker.claim(['agent=a']), null);
      assert.equal(await worker.claim([]), null);
      assert.deepEqual(
        (await worker.queue()).map(({ runId, needs, driver }) => ({ runId, needs, driver })),
        [{ runId: RUN, needs: ['agent=a', 'repo=r'], driver: null }],
      );
      const claim = await worker.claim(['repo=r', 'agent=b', 'agent=a']);
      assert.equal(claim?.run.directory.runId, RUN);
      assert.equal(claim.request, HARD);
      assert.deepEqual(claim.run.events, []);
      assert.equal((await engine.queue())[0]?.driver?.pid, process.pid);
      await claim.run.append([note('a')]);
      await claim.run.release({ kind: 'never' });
      assert.deepEqual(await recordedNotes(engine), ['a']);
    },
  },
  {
    name: 'gives each run to one of many workers, and the oldest first',
    run: async ({ engine, reopen }) => {
      await engine.submit(submission(OTHER));
      await engine.submit(submission(RUN));
      const workers = await Promise.all([reopen(), reopen(), reopen(), reopen()]);
      const first = await engine.claim([]);
      assert.equal(first?.run.directory.runId, RUN);
      const claims = await Promise.all(workers.map((worker) => worker.claim([])));
      const taken = claims.flatMap((claim) => claim ?? []);
      assert.deepEqual(
        taken.map(({ run }) => run.directory.runId),
        [OTHER],
      );
      for (const { run } of [first, ...taken]) await run.release({ kind: 'never' });
      assert.equal(await engine.claim([]), null);
    },
  },
  {
    name: 'gives a run again once the time has come that its driver named',
    run: async ({ engine, reopen }) => {
      await engine.submit(submission(RUN));
      const { run } = await awaitClaim(engine, []);
      await run.append([note('parked')]);
      const dueMs = (await run.inbox.now()).getTime() + SOON_MS;
      await run.release({ kind: 'after', time: new Date(dueMs).toISOString() });
      const again = await awaitClaim(await reopen(), []);
      assert.ok((await again.run.inbox.now()).getTime() >= dueMs);
      assert.deepEqual(notesOf(again.run.events), ['parked']);
      await again.run.release({ kind: 'never' });
    },
  },
  {
    name: 'gives a waiting run again once a message has come, also one that came while it was driven',
    run: async ({ engine, reopen }) => {
      await engine.submit(submission(RUN));
      const { run } = await awaitClaim(engine, []);
      await run.append([note('gate')]);
      const sender = await (await reopen()).read(RUN);
      assert.ok(sender.ok);
      await sender.run.inbox.post('artifacts/ask/early.json', 'early');
      await run.release({ kind: 'after', time: null });
      const second = await awaitClaim(engine, []);
      assert.equal(await second.run.inbox.read('artifacts/ask/early.json'), 'early');
      await second.run.release({ kind: 'after', time: null });
      assert.equal(await engine.claim([]), null);
      await sender.run.inbox.post('artifacts/ask/late.json', 'late');
      const third = await awaitClaim(engine, []);
      assert.equal(await third.run.inbox.read('artifacts/ask/late.json'), 'late');
      await third.run.release({ kind: 'never' });
      assert.equal(await engine.claim([]), null);
      assert.deepEqual(await engine.queue(), []);
    },
  },
  {
    name: 'gives a run again at once that its driver gave back',
    run: async ({ engine, reopen }) => {
      await engine.submit(submission(RUN));
      const { run } = await awaitClaim(engine, []);
      await run.append([note('a')]);
      await run.release();
      const again = await awaitClaim(await reopen(), []);
      await again.run.append([note('b')]);
      await again.run.release({ kind: 'never' });
      assert.deepEqual(await recordedNotes(engine), ['a', 'b']);
    },
  },
];

const TAIL_CASES: readonly EngineCase[] = [
  {
    name: 'follows a run from before its start to its end, each event once',
    run: async ({ engine, reopen }) => {
      const following = tailNotes(await reopen(), 0);
      const run = await engine.create(RUN, null);
      for (const text of ['a', 'b', 'c']) await run.append([note(text)]);
      await run.append([note('d'), END]);
      await run.release({ kind: 'never' });
      assert.deepEqual(await following, ['a', 'b', 'c', 'd', 'run_completed']);
    },
  },
  {
    name: 'continues after a lost connection where it was',
    run: async ({ engine, reopen }) => {
      const run = await engine.create(RUN, null);
      await run.append([note('a'), note('b')]);
      const before = await tailNotes(await reopen(), 0, 2);
      await run.append([note('c')]);
      const after = tailNotes(await reopen(), before.length);
      await run.append([note('d'), END]);
      await run.release({ kind: 'never' });
      assert.deepEqual([...before, ...(await after)], ['a', 'b', 'c', 'd', 'run_completed']);
    },
  },
  {
    name: 'ends when its signal fires, although the run has not ended',
    run: async ({ engine }) => {
      const run = await engine.create(RUN, null);
      await run.append([note('a')]);
      assert.deepEqual(await tailNotes(engine, 0, 1), ['a']);
      assert.deepEqual(await tailNotes(engine, 0, 1), ['a']);
      await run.release();
    },
  },
];

/** What every engine guarantees. */
export const ENGINE_CASES: readonly EngineCase[] = [
  ...LOG_CASES,
  ...DRIVER_CASES,
  ...INBOX_CASES,
  ...QUEUE_CASES,
  ...TAIL_CASES,
];
