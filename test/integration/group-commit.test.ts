import { spawn } from 'node:child_process';
import {
  type FileHandle,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  rename,
  rm,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createEmbeddedEngine } from '../../src/adapters/run-store/embedded-engine.ts';
import { createCommitter } from '../../src/adapters/run-store/group-commit.ts';
import { createJournal, type Journal } from '../../src/adapters/run-store/journal.ts';
import {
  formatIdentity,
  type ProcessIdentity,
  thisProcess,
} from '../../src/adapters/run-store/process-identity.ts';
import type { EventDraft } from '../../src/contracts/run/event.ts';
import type { RunStore } from '../../src/ports/run-store.ts';

const RUNS = Array.from({ length: 8 }, (_, index) => `01990000-0000-7000-8000-00000000000${index}`);

let root: string;
let runsDir: string;
let store: RunStore;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'conductor-commit-'));
  runsDir = join(root, '.tnh/run');
  await mkdir(runsDir, { recursive: true });
  store = openStore();
});

afterEach(() => rm(root, { recursive: true, force: true }));

function openStore(): RunStore {
  return createEmbeddedEngine({
    repoRoot: root,
    runsDir,
    clock: { now: () => new Date('2026-01-02T03:04:05.678Z'), sleep: async () => {} },
  });
}

function note(text: string): EventDraft {
  return { event_type: 'status_updated', step_id: null, payload: { note: text } };
}

const logOf = (runId: string) => join(runsDir, runId, 'events.ndjson');

async function notesOf(runId: string): Promise<readonly unknown[]> {
  const read = await store.read(runId);
  if (!read.ok) throw new Error(`run ${runId} can't be read`);
  return read.run.events.map(({ payload }) => ('note' in payload ? payload.note : null));
}

/** A journal that counts how often it was asked, in front of a real one. */
function countingJournal(): { readonly journal: Journal; readonly texts: string[] } {
  const texts: string[] = [];
  const real = createJournal(runsDir);
  return {
    texts,
    journal: {
      ...real,
      append: async (text) => {
        texts.push(text);
        await real.append(text);
      },
    },
  };
}

describe('a group commit', () => {
  it('writes for one file without the journal', async () => {
    const { journal, texts } = countingJournal();
    const file = await createCommitter(journal).open(join(root, 'one'));
    await Promise.all(['a\n', 'b\n', 'c\n'].map((text) => file.append(text)));
    await file.close();
    expect(await readFile(join(root, 'one'), 'utf8')).toBe('a\nb\nc\n');
    expect(texts).toEqual([]);
  });

  it('covers all files that wait with one write to the journal', async () => {
    const { journal, texts } = countingJournal();
    const committer = createCommitter(journal);
    const files = await Promise.all(['a', 'b', 'c', 'd'].map((name) => committer.open(join(root, name))));
    await Promise.all(files.map((file, index) => file.append(`first ${index}\n`)));
    expect(texts).toEqual(['first 0\nfirst 1\nfirst 2\nfirst 3\n']);
    expect(await readdir(join(runsDir, '.journal'))).toHaveLength(1);
    for (const file of files) await file.close();
    expect(await readFile(join(root, 'c'), 'utf8')).toBe('first 2\n');
  });

  it('empties the journal when it has grown, also behind files that are closed by then', async () => {
    const { journal, texts } = countingJournal();
    const committer = createCommitter(journal, 20);
    const [first, second] = [await committer.open(join(root, 'a')), await committer.open(join(root, 'b'))];
    await Promise.all([first.append('first\n'), second.append('second\n')]);
    expect(journal.bytes()).toBe(13);
    await first.close();
    const third = await committer.open(join(root, 'c'));
    await Promise.all([second.append('third\n'), third.append('fourth\n')]);
    expect(texts).toHaveLength(2);
    await second.close();
    await third.close();
    expect(journal.bytes()).toBe(0);
    expect(await readFile(join(root, 'b'), 'utf8')).toBe('second\nthird\n');
  });

  it('accepts nothing more for a file whose end is unknown, and continues for the others', async () => {
    const committer = createCommitter(createJournal(runsDir));
    const full = await committer.open('/dev/full');
    const sound = await committer.open(join(root, 'sound'));
    await expect(full.append('a\n')).rejects.toThrow('ENOSPC');
    await expect(full.append('b\n')).rejects.toThrow('ENOSPC');
    await sound.append('c\n');
    await full.close();
    await sound.close();
    expect(await readFile(join(root, 'sound'), 'utf8')).toBe('c\n');
  });

  it('keeps the order of a log when many runs write at once', async () => {
    const runs = await Promise.all(RUNS.map((runId) => store.create(runId, null)));
    for (let round = 0; round < 5; round += 1)
      await Promise.all(runs.map((run) => run.append([note(`${round}`)])));
    for (const run of runs) await run.release();
    for (const runId of RUNS) expect(await notesOf(runId)).toEqual(['0', '1', '2', '3', '4']);
  });
});

describe('text that is flushed later', () => {
  /** Counts flushes while `work` runs, of any file. */
  async function countFlushes(work: (count: () => number) => Promise<void>): Promise<void> {
    const probe = await open(join(root, 'probe'), 'w');
    const prototype = Object.getPrototypeOf(probe) as FileHandle;
    await probe.close();
    const flushes = vi.spyOn(prototype, 'datasync');
    try {
      await work(() => flushes.mock.calls.length);
    } finally {
      flushes.mockRestore();
    }
  }

  it('is in the file at once, and on disk with the one flush of the next append', async () => {
    const file = await createCommitter(createJournal(runsDir)).open(join(root, 'one'));
    await file.append('a\n');
    await countFlushes(async (count) => {
      await file.write('b\n');
      expect(await readFile(join(root, 'one'), 'utf8')).toBe('a\nb\n');
      expect(count()).toBe(0);
      await file.append('c\n');
      expect(count()).toBe(1);
      await file.close();
      expect(count()).toBe(1);
    });
    expect(await readFile(join(root, 'one'), 'utf8')).toBe('a\nb\nc\n');
  });

  it('is flushed by itself if no append follows, and when the file is closed', async () => {
    const file = await createCommitter(createJournal(runsDir)).open(join(root, 'one'));
    await countFlushes(async (count) => {
      await file.write('a\n');
      await vi.waitUntil(() => count() === 1);
      await file.write('b\n');
      await file.close();
      expect(count()).toBe(2);
    });
    expect(await readFile(join(root, 'one'), 'utf8')).toBe('a\nb\n');
  });

  it('is in the journal with the append that follows, so that a power loss of the log loses neither', async () => {
    const { journal, texts } = countingJournal();
    const committer = createCommitter(journal);
    const files = await Promise.all(['a', 'b'].map((name) => committer.open(join(root, name))));
    await Promise.all(files.map((file, index) => file.write(`first ${index}\n`)));
    await Promise.all(files.map((file, index) => file.append(`second ${index}\n`)));
    expect(texts).toEqual(['first 0\nsecond 0\nfirst 1\nsecond 1\n']);
    for (const file of files) await file.close();
    expect(await readFile(join(root, 'b'), 'utf8')).toBe('first 1\nsecond 1\n');
  });

  it('stays behind an append that still waits', async () => {
    const file = await createCommitter(createJournal(runsDir)).open(join(root, 'one'));
    await Promise.all([file.append('a\n'), file.write('b\n'), file.append('c\n')]);
    await file.close();
    expect(await readFile(join(root, 'one'), 'utf8')).toBe('a\nb\nc\n');
  });

  it('fails at once if it cannot be written, and so does everything after it', async () => {
    const file = await createCommitter(createJournal(runsDir)).open('/dev/full');
    await expect(file.write('a\n')).rejects.toThrow('ENOSPC');
    await expect(file.write('b\n')).rejects.toThrow('ENOSPC');
    await expect(file.append('c\n')).rejects.toThrow('ENOSPC');
    await file.close();
  });

  it('is in the log of a run that is released right after', async () => {
    const [runId = ''] = RUNS;
    const run = await store.create(runId, null);
    await run.append([note('a')]);
    await run.append([note('b')], 'later');
    expect(await notesOf(runId)).toEqual(['a', 'b']);
    await run.release();
    expect(await notesOf(runId)).toEqual(['a', 'b']);
  });
});

describe('the journal of a process that is gone', () => {
  /** A run whose log lost its last lines to a power cut, and the journal that has them. */
  async function loseTail(runId: string, keep: number, tail = ''): Promise<string> {
    const run = await store.create(runId, null);
    for (const text of ['a', 'b', 'c']) await run.append([note(text)]);
    await run.release();
    const lines = (await readFile(logOf(runId), 'utf8')).split('\n').slice(0, 3);
    const kept = lines.slice(0, keep).map((line) => `${line}\n`);
    await writeFile(logOf(runId), kept.join('') + tail);
    return `${lines.join('\n')}\n`;
  }

  async function leaveJournal(text: string): Promise<void> {
    const child = spawn(process.execPath, ['-e', '0']);
    await new Promise((resolve) => child.on('exit', resolve));
    await writeJournal({ pid: child.pid ?? 0 }, text);
  }

  async function writeJournal(owner: Partial<ProcessIdentity>, text: string, ageMs = 0): Promise<void> {
    const folder = join(runsDir, '.journal');
    await mkdir(folder, { recursive: true });
    const path = join(folder, `${formatIdentity({ ...thisProcess(), started: '1', ...owner })}.0011.ndjson`);
    await writeFile(path, text);
    const time = (Date.now() - ageMs) / 1000;
    await utimes(path, time, time);
  }

  it('completes every log that lacks lines as soon as one of the runs is driven', async () => {
    const [first = '', second = '', third = ''] = RUNS;
    const texts = [
      await loseTail(first, 1),
      await loseTail(second, 2, '{"seq":2,"ti'),
      await loseTail(third, 3),
    ];
    await leaveJournal(`${texts.join('')}{"torn`);
    const driven = await store.drive(third);
    if (!driven.ok) throw new Error('not driven');
    await driven.run.release();
    for (const runId of [first, second, third]) expect(await notesOf(runId)).toEqual(['a', 'b', 'c']);
    expect(await readdir(join(runsDir, '.journal'))).toEqual([]);
  });

  it('completes the log of the run that is driven, and stays, if its process may live in another container', async () => {
    const [first = '', second = ''] = RUNS;
    await writeJournal({ boot: 'beef' }, (await loseTail(first, 1)) + (await loseTail(second, 1)));
    const driven = await store.drive(first);
    if (!driven.ok) throw new Error('not driven');
    await driven.run.append([note('d')]);
    await driven.run.release();
    expect(await notesOf(first)).toEqual(['a', 'b', 'c', 'd']);
    expect(await notesOf(second)).toEqual(['a']);
    expect(await readdir(join(runsDir, '.journal'))).toHaveLength(1);
  });

  it('is removed after a day if its process was in another container', async () => {
    const [first = '', second = ''] = RUNS;
    const text = (await loseTail(first, 1)) + (await loseTail(second, 1));
    await writeJournal({ boot: 'beef' }, text, 25 * 3_600_000);
    const driven = await store.drive(first);
    if (!driven.ok) throw new Error('not driven');
    await driven.run.release();
    for (const runId of [first, second]) expect(await notesOf(runId)).toEqual(['a', 'b', 'c']);
    expect(await readdir(join(runsDir, '.journal'))).toEqual([]);
  });

  it('is kept while its process runs', async () => {
    const [first = ''] = RUNS;
    const text = await loseTail(first, 1);
    const journal = createJournal(runsDir);
    await journal.append(text);
    const driven = await store.drive(first);
    if (!driven.ok) throw new Error('not driven');
    await driven.run.release();
    expect(await notesOf(first)).toEqual(['a']);
    expect(await readdir(join(runsDir, '.journal'))).toHaveLength(1);
    await journal.rest();
  });

  it('stays when a log is damaged, which is not repaired', async () => {
    const [first = ''] = RUNS;
    const text = await loseTail(first, 2);
    await writeFile(logOf(first), 'no event\n');
    await leaveJournal(text);
    expect(await store.drive(first)).toMatchObject({ ok: false, problem: { kind: 'corrupt', line: 1 } });
    expect(await readFile(logOf(first), 'utf8')).toBe('no event\n');
    expect(await readdir(join(runsDir, '.journal'))).toHaveLength(1);
  });

  it('adds nothing to a log that has diverged', async () => {
    const [first = ''] = RUNS;
    const text = await loseTail(first, 3);
    await truncate(logOf(first), 0);
    const other = openStore();
    const driven = await other.drive(first);
    if (!driven.ok) throw new Error('not driven');
    await driven.run.append([note('x')]);
    await driven.run.release();
    await leaveJournal(text);
    const again = await store.drive(first);
    if (!again.ok) throw new Error('not driven');
    await again.run.release();
    expect(await notesOf(first)).toEqual(['x']);
  });
});

describe('a log that is taken away while it is written', () => {
  it.each([
    ['deleted', (path: string) => rm(path)],
    ['deleted with its folder', (path: string) => rm(join(path, '..'), { recursive: true })],
    [
      'moved away with its folder',
      (path: string) => rename(join(path, '..'), `${join(path, '..')}.elsewhere`),
    ],
    [
      'replaced',
      async (path: string) => {
        await rm(path);
        await writeFile(path, 'nothing happened\n');
      },
    ],
  ])('is there again, from its first line on, with the next one: %s', async (_how, take) => {
    const [first = '', second = ''] = RUNS;
    const runs = await Promise.all([first, second].map((runId) => store.create(runId, null)));
    for (const run of runs) await run.append([note('before')]);
    for (const runId of [first, second]) await take(logOf(runId));
    await Promise.all(runs.map((run) => run.append([note('after')])));
    await runs[0]?.append([note('last')]);
    for (const run of runs) await run.release();
    expect(await notesOf(first)).toEqual(['before', 'after', 'last']);
    expect(await notesOf(second)).toEqual(['before', 'after']);
  });
});
