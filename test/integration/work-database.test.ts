import { execFile } from 'node:child_process';
import { access, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import Database from 'libsql';
import { describe, expect, it } from 'vitest';
import { createWorkDatabase } from '../../src/adapters/work-local/database.ts';
import { describeDatabaseFailure } from '../../src/adapters/work-local/database-failure.ts';
import { verifyJournal } from '../../src/adapters/work-local/journal.ts';
import { createProcessLock } from '../../src/adapters/work-local/process-lock.ts';
import { ExpectedFailure } from '../../src/contracts/expected-failure.ts';
import type { GitRepo } from '../../testing/git-repo.ts';
import { AT, databaseFile, openJournal, openProvider, workRepo } from './work-local-fixture.ts';

const LABEL = { name: 'a', description: 'A', color: 'ededed' };

/** Changes the file as a database tool would. */
function tamper(repo: GitRepo, sql: string): void {
  const database = new Database(databaseFile(repo));
  database.exec(sql);
  database.close();
}

const fields = {
  title: 'T',
  body: 'B',
  type: 'implement' as const,
  priority: 'low' as const,
  complexity: 'low' as const,
  otherLabels: [],
};

describe('the file of work items', () => {
  it('is not made by looking', async () => {
    const repo = await workRepo();
    await openProvider(repo).read();
    await openJournal(repo).read(0);
    await openProvider(repo).settle(new AbortController().signal);
    await expect(access(`${repo.root}/.tnh`)).rejects.toThrow('ENOENT');
    await expect(readFile(databaseFile(repo))).rejects.toThrow('ENOENT');
  });

  it("names the obstacle if its folder can't be created", async () => {
    const repo = await workRepo();
    await repo.write('.tnh/work', 'not a folder');
    const failed = openProvider(repo).setUpLabels([LABEL]);
    await expect(failed).rejects.toThrow(ExpectedFailure);
    await expect(failed).rejects.toThrow(
      /^the folder .*work can't be created \(.*move away the file in its place/,
    );
  });

  it('is not seen by git', async () => {
    const repo = await workRepo();
    await openJournal(repo).withLock(async () => undefined);
    expect(await repo.git('status', '--porcelain', '--untracked-files=all')).toBe('');
    await openProvider(repo).setUpLabels([LABEL]);
    await openJournal(repo).withLock((append) => append([{ type: 'command_done', key: 'k' }]));
    expect(await repo.git('status', '--porcelain', '--untracked-files=all')).toBe('');
  });

  it('keeps what was written when the power goes: in a log of its own, flushed with each write', async () => {
    const repo = await workRepo();
    await openProvider(repo).setUpLabels([LABEL]);
    const [mode] = new Database(databaseFile(repo)).prepare('PRAGMA journal_mode').all();
    expect(mode).toEqual({ journal_mode: 'wal' });
    const synchronous = await createWorkDatabase(databaseFile(repo)).read(
      ({ all }) => all('PRAGMA synchronous')[0]?.synchronous,
    );
    expect(synchronous).toBe(2);
  });

  it('is refused where a newer conductor has written it', async () => {
    const repo = await workRepo();
    await openProvider(repo).setUpLabels([LABEL]);
    tamper(repo, 'PRAGMA user_version = 99');
    const failure = openProvider(repo).read();
    await expect(failure).rejects.toThrow(ExpectedFailure);
    await expect(failure).rejects.toThrow(
      `${databaseFile(repo)} was written by a newer conductor (its schema_version is 99, this conductor supports 1): update conductor`,
    );
  });

  it.each([
    ['is no database', 'This is a text.\n'.repeat(500)],
    ['is cut off', null],
  ])('is named if it %s', async (_, content) => {
    const repo = await workRepo();
    const provider = openProvider(repo);
    await provider.setUpLabels([LABEL]);
    await provider.write('k', [
      { kind: 'create_item', ref: 'a', at: AT, fields: { ...fields, body: 'x'.repeat(90_000) } },
    ]);
    await provider.close();
    const file = databaseFile(repo);
    await writeFile(file, content ?? (await readFile(file)).subarray(0, 9000));
    for (const ending of ['-wal', '-shm']) await rm(`${file}${ending}`, { force: true });
    const failure = openProvider(repo).read();
    await expect(failure).rejects.toThrow(ExpectedFailure);
    await expect(failure).rejects.toThrow(
      new RegExp(`^${file} is corrupt .*: restore a copy of it, or move it away`),
    );
  });

  it('is named if it is in the place of a folder', async () => {
    const repo = await workRepo();
    await mkdir(databaseFile(repo), { recursive: true });
    const failure = openProvider(repo).read();
    await expect(failure).rejects.toThrow(ExpectedFailure);
    await expect(failure).rejects.toThrow(`${databaseFile(repo)} can't be opened`);
  });

  it.each([
    ['SQLITE_FULL', /^\/f can't be written: the disk is full; free some space/],
    ['SQLITE_READONLY_DIRECTORY', /^\/f can't be written .*: make the file and its folder writable/],
    ['SQLITE_IOERR_WRITE', /^\/f can't be read or written .*: check the disk/],
    ['SQLITE_BUSY_SNAPSHOT', /^\/f is locked by another process: wait until it ends/],
  ])('has a way out of %s', (code, message) => {
    const described = describeDatabaseFailure('/f', Object.assign(new Error('no'), { code }));
    expect(described).toBeInstanceOf(ExpectedFailure);
    expect(described).toMatchObject({ message: expect.stringMatching(message) });
  });

  it('passes on what is a defect as it is', () => {
    const defect = Object.assign(new Error('no'), { code: 'SQLITE_ERROR' });
    expect(describeDatabaseFailure('/f', defect)).toBe(defect);
  });

  it('can be read while another process writes', async () => {
    const repo = await workRepo();
    const provider = openProvider(repo);
    await provider.setUpLabels([LABEL]);
    const writer = new Database(databaseFile(repo));
    writer.exec('BEGIN IMMEDIATE');
    writer.exec("INSERT INTO labels VALUES ('b', '', '')");
    expect((await provider.read()).items).toEqual([]);
    writer.exec('ROLLBACK');
    writer.close();
  });

  it('takes the items of two processes at once, each with an id of its own', async () => {
    const repo = await workRepo();
    const script = `
      import { createWorkDatabase } from './dist/src/adapters/work-local/database.js';
      import { createLocalProvider } from './dist/src/adapters/work-local/local-provider.js';
      const [file, name] = process.argv.slice(1);
      const provider = createLocalProvider({ database: createWorkDatabase(file), revisions: null, check: null });
      for (let at = 0; at < 50; at += 1)
        await provider.write(name + at, [
          { kind: 'create_item', ref: 'a', at: '', fields: ${JSON.stringify(fields)} },
          { kind: 'link_item', item: 'a', blockedBy: ['a'] },
        ]);
    `;
    const cwd = `${import.meta.dirname}/../..`;
    const child = (name: string) =>
      promisify(execFile)(
        process.execPath,
        ['--input-type=module', '--eval', script, databaseFile(repo), name],
        { cwd },
      );
    await Promise.all([child('one '), child('two ')]);
    const { items } = await openProvider(repo).read();
    expect(items.map(({ item }) => item.id)).toEqual(Array.from({ length: 100 }, (_, at) => String(at + 1)));
    expect(items.every(({ item }) => item.blockedBy[0] === item.id)).toBe(true);
  });
});

describe('the journal of work items', () => {
  const write = async (repo: GitRepo) => {
    const journal = openJournal(repo);
    await journal.withLock((append) =>
      append(['a', 'b', 'c', 'd'].map((key) => ({ type: 'command_done', key }))),
    );
    return journal;
  };

  it.each([
    ["UPDATE journal SET at = ''", 'the journal is never changed'],
    ['DELETE FROM journal', 'the journal is never cut'],
    ["INSERT INTO journal VALUES (7, '', '', '')", 'the journal has no gap'],
  ])('refuses %s', async (sql, message) => {
    const repo = await workRepo();
    await write(repo);
    expect(() => tamper(repo, sql)).toThrow(message);
  });

  it.each([
    ['changed', "DROP TRIGGER journal_is_never_changed; UPDATE journal SET at = 'then' WHERE seq = 2", 3],
    [
      'changed in its text',
      `DROP TRIGGER journal_is_never_changed; UPDATE journal SET event = replace(event, 'b', 'x') WHERE seq = 2`,
      3,
    ],
    ['taken away', 'DROP TRIGGER journal_is_never_cut; DELETE FROM journal WHERE seq = 2', 3],
    [
      'taken away from the beginning',
      'DROP TRIGGER journal_is_never_cut; DELETE FROM journal WHERE seq = 1',
      2,
    ],
  ])('is reported as %s by hand when it is read', async (_, sql, seq) => {
    const repo = await workRepo();
    const journal = await write(repo);
    tamper(repo, sql);
    const message = `the journal in ${databaseFile(repo)} was modified outside of conductor before entry ${seq}`;
    await expect(journal.read(0)).rejects.toThrow(message);
    await expect(verifyJournal(createWorkDatabase(databaseFile(repo)))).rejects.toThrow(message);
  });

  it('is verified as a whole', async () => {
    const repo = await workRepo();
    await write(repo);
    expect(await verifyJournal(createWorkDatabase(databaseFile(repo)))).toBe(4);
  });
});

describe('the lock among processes', () => {
  it('fails with the name of its file if another process holds it too long', async () => {
    const repo = await workRepo();
    const path = `${repo.root}/some.lock`;
    await createProcessLock(path).hold(
      async () => {
        const late = createProcessLock(path).hold(async () => 'never', { timeoutMs: 0 });
        await expect(late).rejects.toThrow(`another process has locked ${path}`);
      },
      { timeoutMs: 1000 },
    );
  });

  it('is not waited for when the signal has fired', async () => {
    const repo = await workRepo();
    const lock = createProcessLock(`${repo.root}/some.lock`);
    const waiting = lock.hold(async () => 'never', { timeoutMs: 1000, signal: AbortSignal.abort() });
    await expect(waiting).rejects.toThrow('aborted');
  });

  it('is taken over from a process that was killed while it had it', async () => {
    const repo = await workRepo();
    const path = `${repo.root}/some.lock`;
    const script = `
      import { createProcessLock } from './dist/src/adapters/work-local/process-lock.js';
      await createProcessLock(process.argv[1]).hold(async () => process.kill(process.pid, 'SIGKILL'), { timeoutMs: 0 });
    `;
    const cwd = `${import.meta.dirname}/../..`;
    const died = promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script, path], {
      cwd,
    });
    await expect(died).rejects.toMatchObject({ signal: 'SIGKILL' });
    expect(await createProcessLock(path).hold(async () => 'mine', { timeoutMs: 0 })).toBe('mine');
  });
});
