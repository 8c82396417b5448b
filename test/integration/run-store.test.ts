import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, symlinkSync } from 'node:fs';
import { appendFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createEmbeddedEngine } from '../../src/adapters/run-store/embedded-engine.ts';
import type { EventDraft } from '../../src/contracts/run/event.ts';
import type { RunStore } from '../../src/ports/run-store.ts';

const RUN = '01990000-0000-7000-8000-000000000001';
const OTHER = '01990000-0000-7000-8000-000000000002';

let root: string;
let store: RunStore;
let path: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'conductor-store-'));
  store = createEmbeddedEngine({
    repoRoot: root,
    runsDir: join(root, '.tnh/run'),
    clock: { now: () => new Date('2026-01-02T03:04:05.678Z'), sleep: async () => {} },
  });
  path = join(root, '.tnh/run', RUN);
});

afterEach(() => rm(root, { recursive: true, force: true }));

function note(text: string): EventDraft {
  return { event_type: 'status_updated', step_id: null, payload: { note: text } };
}

async function recordRun(...notes: string[]): Promise<void> {
  const run = await store.create(RUN, null);
  for (const text of notes) await run.append([note(text)]);
  await run.release();
}

const logFile = () => join(path, 'events.ndjson');

describe('the event log', () => {
  it('numbers events from zero and chains each line to the bytes of the one before', async () => {
    await recordRun('a', 'b');
    const lines = (await readFile(logFile(), 'utf8')).trimEnd().split('\n');
    const events = lines.map((line) => JSON.parse(line));
    expect(events.map(({ seq }) => seq)).toEqual([0, 1]);
    expect(events[0].prev).toBe('0'.repeat(64));
    expect(events[1].prev).toBe(
      createHash('sha256')
        .update(lines[0] ?? '')
        .digest('hex'),
    );
    expect(events[0]).toMatchObject({ run_id: RUN, timestamp: '2026-01-02T03:04:05.678Z', step_id: null });
  });

  it('continues where it stopped when the run is driven again', async () => {
    await recordRun('a');
    const driven = await store.drive(RUN);
    if (!driven.ok) throw new Error('not driven');
    await driven.run.append([note('b')]);
    await driven.run.release();
    const read = await store.read(RUN);
    expect(read.ok && read.run.events.map(({ seq }) => seq)).toEqual([0, 1]);
  });

  it('cuts a torn last line off and keeps it aside', async () => {
    await recordRun('a');
    await appendFile(logFile(), '{"seq":1,"tim');
    const driven = await store.drive(RUN);
    if (!driven.ok) throw new Error('not driven');
    expect(driven.run.events).toHaveLength(1);
    await driven.run.append([note('b')]);
    await driven.run.release();
    const read = await store.read(RUN);
    expect(read.ok && read.run.events).toHaveLength(2);
    const aside = (await readdir(path)).filter((name) => name.includes('torn'));
    expect(aside).toHaveLength(1);
    expect(await readFile(join(path, aside[0] ?? ''), 'utf8')).toBe('{"seq":1,"tim');
  });

  it.each([
    ['a changed line', (text: string) => text.replace('"b"', '"x"'), 3],
    ['a missing line', (text: string) => text.split('\n').toSpliced(1, 1).join('\n'), 2],
    ['a line that is not JSON', (text: string) => text.replace('{"seq":1', '"seq":1'), 2],
    ['an unknown event type', (text: string) => text.replace('status_updated', 'status_upended'), 1],
  ])('refuses %s with its line number and writes nothing', async (_, damage, line) => {
    await recordRun('a', 'b', 'c');
    const damaged = damage(await readFile(logFile(), 'utf8'));
    await writeFile(logFile(), damaged);
    const driven = await store.drive(RUN);
    expect(driven).toMatchObject({ ok: false, problem: { kind: 'corrupt', line } });
    expect(await store.read(RUN)).toMatchObject({ ok: false, problem: { kind: 'corrupt', line } });
    expect(await readFile(logFile(), 'utf8')).toBe(damaged);
    expect((await readdir(path)).filter((name) => name.startsWith('lock'))).toEqual([]);
  });
});

describe('a log in which the run has ended', () => {
  const ended: EventDraft = {
    event_type: 'run_completed',
    step_id: null,
    payload: {
      lifecycle_state: 'failed',
      outcome: 'error',
      termination: 'error',
      reason: 'npm ci exited with 1',
      head_sha: null,
    },
  };
  const sent: EventDraft = {
    event_type: 'notification_sent',
    step_id: null,
    payload: { target: 'desktop', for_seq: 0, ok: true, message: null },
  };
  const published: EventDraft = {
    event_type: 'run_published',
    step_id: null,
    payload: { url: 'https://example.org/1', branch: 'b', remote: null },
  };

  async function recordEvents(...events: EventDraft[]) {
    const run = await store.create(RUN, null);
    await run.append(events);
    await run.release();
    return store.read(RUN);
  }

  it('may continue with notifications and publications', async () => {
    const read = await recordEvents(ended, sent, published, sent);
    expect(read.ok && read.run.events).toHaveLength(4);
  });

  it.each([
    ['a note', note('late')],
    ['a second end', ended],
  ])('is refused with anything else after the end: %s', async (_, late) => {
    const read = await recordEvents(ended, sent, late);
    const message = `${late.event_type} after the end of the run`;
    expect(read).toEqual({ ok: false, problem: { kind: 'corrupt', ok: false, line: 3, message } });
  });
});

it('clears what a dead process had half written, and nothing else', async () => {
  await recordRun('a');
  const halves = ['status.json.0123456789ab.tmp', 'metadata.json.0123456789ab.tmp'];
  for (const name of [...halves, 'notes.0123456789ab.tmp']) await writeFile(join(path, name), '{');
  const driven = await store.drive(RUN);
  if (driven.ok) await driven.run.release();
  expect((await readdir(path)).filter((name) => name.endsWith('.tmp'))).toEqual(['notes.0123456789ab.tmp']);
});

describe('finding runs', () => {
  it('matches by prefix, with or without dashes, newest first', async () => {
    await recordRun('a');
    await (await store.create(OTHER, null)).release();
    expect(await store.match('01990000-0000')).toEqual([OTHER, RUN]);
    expect(await store.match(RUN.replaceAll('-', ''))).toEqual([RUN]);
    expect(await store.match('ffff')).toEqual([]);
  });

  it('finds a run whose folder was moved by the workflow', async () => {
    const run = await store.create(RUN, 'build/evidence');
    await run.append([note('a')]);
    await run.release();
    expect(await readdir(join(root, 'build/evidence', RUN))).toContain('events.ndjson');
    const read = await store.read(RUN);
    expect(read.ok && read.run.events).toHaveLength(1);
    expect((await store.list()).map(({ runId }) => runId)).toEqual([RUN]);
  });

  it('takes a run away again that failed to start', async () => {
    const run = await store.create(RUN, 'build/evidence');
    await run.discard();
    expect(await store.list()).toEqual([]);
    expect(await readdir(join(root, 'build/evidence'))).toEqual([]);
  });
});

describe('files of a run', () => {
  it('are made once when only one may win', async () => {
    const run = await store.create(RUN, null);
    const won = await Promise.all(
      ['a', 'b', 'c', 'd'].map((text) => run.inbox.post('artifacts/gate/gate_outcome.json', text)),
    );
    expect(won.filter((result) => result === 'posted')).toHaveLength(1);
    const winner = ['a', 'b', 'c', 'd'][won.indexOf('posted')];
    expect(await run.directory.read('artifacts/gate/gate_outcome.json')).toBe(winner);
    expect(await readdir(join(path, 'artifacts/gate'))).toEqual(['gate_outcome.json']);
    await run.release();
  });

  it('are none in a folder that is not there', async () => {
    const run = await store.create(RUN, null);
    await run.directory.write('harness/report.json', '{}');
    expect(await run.directory.list('harness')).toEqual(['harness/report.json']);
    await rm(join(path, 'harness'), { recursive: true });
    expect(await run.directory.list('harness')).toEqual([]);
    await run.release();
  });

  it('are read whole, or no further than is asked', async () => {
    const run = await store.create(RUN, null);
    const text = '\uFEFFé'.repeat(50_000);
    await run.directory.write('long.txt', text);
    expect(await run.directory.read('long.txt')).toBe(text);
    expect(await run.directory.read('long.txt', { firstBytes: 10 })).toBe('\uFEFFé'.repeat(2));
    expect(await run.directory.read('long.txt', { firstBytes: 4 })).toBe('\uFEFF\uFFFD');
    expect(await run.directory.digest(join(path, 'long.txt'))).toEqual({
      path: 'long.txt',
      sha256: createHash('sha256').update(text).digest('hex'),
      bytes: 250_000,
    });
    await run.release();
  });

  it.each([
    ['a pipe', (at: string) => execFileSync('sh', ['-c', 'mkfifo "$0"', at])],
    ['a link', (at: string) => symlinkSync('/dev/zero', at)],
    ['a folder', (at: string) => mkdirSync(at)],
  ])('are missing if %s is in their place', async (_kind, make) => {
    const run = await store.create(RUN, null);
    make(join(path, 'cancel_request.json'));
    expect(await run.directory.read('cancel_request.json')).toBeNull();
    await expect(run.directory.digest(join(path, 'cancel_request.json'))).rejects.toThrow(
      /^no such file: |^a folder, and not a file: /,
    );
    await expect(run.directory.sync(['cancel_request.json'])).rejects.toThrow(
      /^no such file: |^a folder, and not a file: /,
    );
    await run.release();
  });
});
