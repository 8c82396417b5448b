import assert from 'node:assert/strict';
import type { JournalEntry, WorkEvent } from '../src/contracts/work/work-event.ts';
import type { AppendEvents, WorkJournal } from '../src/ports/work/work-journal.ts';

/** A journal with nothing in it. */
export interface JournalWorld {
  readonly journal: WorkJournal;
  /** The same journal, as another process has it. */
  readonly reopen: () => Promise<WorkJournal>;
}

export interface JournalCase {
  readonly name: string;
  readonly run: (world: JournalWorld) => Promise<void>;
}

const HARD = `"quotes" 'single' \u0000 NUL \u2028 \ud83d\ude00 \r\n\t\\`;

function done(key: string): WorkEvent {
  return { type: 'command_done', key };
}

function keysOf(entries: readonly JournalEntry[]): string[] {
  return entries.map(({ event }) => ('key' in event ? event.key : ''));
}

/** What every journal of work items keeps to. */
export const JOURNAL_CASES: readonly JournalCase[] = [
  {
    name: 'has nothing before the first entry',
    run: async ({ journal }) => {
      assert.deepEqual(await journal.read(0), []);
      assert.deepEqual(await journal.read(7), []);
    },
  },
  {
    name: 'counts its entries from 1 without a gap, and gives those after a number',
    run: async ({ journal }) => {
      const appended = await journal.withLock(async (append) => [
        ...(await append([done('a'), done('b')])),
        ...(await append([])),
        ...(await append([done('c')])),
      ]);
      assert.deepEqual(
        appended.map(({ seq }) => seq),
        [1, 2, 3],
      );
      assert.deepEqual(await journal.read(0), appended);
      assert.deepEqual(await journal.read(2), appended.slice(2));
      assert.deepEqual(await journal.read(3), []);
      assert.ok(appended.every(({ at }) => new Date(at).toISOString() === at));
    },
  },
  {
    name: 'lets one work at a time, whoever asks, and all of them in the end',
    run: async ({ journal, reopen }) => {
      const journals = [journal, await reopen(), await reopen()];
      let inside = 0;
      const work = (name: string) => async (append: AppendEvents) => {
        inside += 1;
        assert.equal(inside, 1, 'two were at work at the same time');
        await append([done(`${name} 1`)]);
        await new Promise((resolve) => setImmediate(resolve));
        await append([done(`${name} 2`)]);
        inside -= 1;
      };
      const names = Array.from({ length: 12 }, (_, at) => String(at));
      await Promise.all(names.map((name, at) => (journals[at % 3] ?? journal).withLock(work(name))));
      const keys = keysOf(await journal.read(0));
      assert.deepEqual(keys.toSorted(), names.flatMap((name) => [`${name} 1`, `${name} 2`]).toSorted());
      for (let at = 0; at < keys.length; at += 2)
        assert.equal(keys[at + 1], keys[at]?.replace(/1$/, '2'), 'entries of two are mixed');
    },
  },
  {
    name: 'is free again after work that failed, and keeps what that had appended',
    run: async ({ journal, reopen }) => {
      const failing = journal.withLock(async (append) => {
        await append([done('before')]);
        throw new Error('as it happens');
      });
      await assert.rejects(failing, /as it happens/);
      await (await reopen()).withLock((append) => append([done('after')]));
      assert.deepEqual(keysOf(await journal.read(0)), ['before', 'after']);
    },
  },
  {
    name: 'can be read while somebody is at work, also by who is',
    run: async ({ journal, reopen }) => {
      const other = await reopen();
      await journal.withLock(async (append) => {
        await append([done('a')]);
        assert.deepEqual(keysOf(await other.read(0)), ['a']);
        assert.deepEqual(keysOf(await journal.read(0)), ['a']);
      });
    },
  },
  {
    name: 'takes nothing from who is not at work any more',
    run: async ({ journal }) => {
      let kept: AppendEvents | null = null;
      await journal.withLock(async (append) => {
        kept = append;
      });
      await assert.rejects(async () => kept?.([done('late')]), /only while it is locked/);
      assert.deepEqual(await journal.read(0), []);
    },
  },
  {
    name: 'gives every text back as it was, also when it is opened again',
    run: async ({ journal, reopen }) => {
      const key = `${HARD}${'x'.repeat(1024 * 1024)}`;
      await journal.withLock((append) => append([done(key)]));
      const read = await journal.read(0);
      assert.ok(keysOf(read)[0] === key, 'the text came back changed');
      await journal.close();
      assert.deepEqual(await (await reopen()).read(0), read);
    },
  },
];
