import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createPostgresAdmin } from '../../src/adapters/engine-postgres/engine-admin.ts';
import type { EngineAdmin } from '../../src/ports/engine-admin.ts';
import { type Cluster, findPostgres, importPackage, startCluster } from './cluster.ts';
import { type EngineScene, openScene } from './engine-scene.ts';

const programs = findPostgres();
const PATIENCE_MS = 200;

describe('the engine postgres without its packages', () => {
  it.each(['pg', 'pg-boss'])('says to install %s', async (missing) => {
    const admin = createPostgresAdmin({
      url: 'postgres://127.0.0.1/none',
      importPackage: async (name) => {
        if (name !== missing) return {};
        const error = new Error(`Cannot find package '${name}' imported from engine.js`);
        throw Object.assign(error, { code: 'ERR_MODULE_NOT_FOUND' });
      },
    });
    await expect(admin.check()).rejects.toThrow(
      `the engine postgres needs the package ${missing}; install it with npm install ${missing}, with -g if`,
    );
  });
});

// Needs a PostgreSQL server and the packages pg and pg-boss.
describe.skipIf(programs === null)('the database of the engine postgres', () => {
  let cluster: Cluster;
  let scene: EngineScene;

  beforeAll(async () => {
    cluster = await startCluster(programs ?? '');
    scene = await openScene(cluster);
  }, 60_000);
  afterAll(async () => {
    await scene?.close();
    await cluster?.remove();
  });

  function addressOf(database: string): string {
    const url = new URL(cluster.url);
    url.pathname = `/${database}`;
    return url.href;
  }

  function openAdmin(url: string): EngineAdmin {
    const admin = createPostgresAdmin({ url, importPackage, patienceMs: PATIENCE_MS });
    onTestFinished(() => admin.close());
    return admin;
  }

  it('is migrated once by many processes at the same time, and not again', async () => {
    await scene.query('create database many');
    const admins = Array.from({ length: 6 }, () => openAdmin(addressOf('many')));
    const before = await admins[0]?.check();
    expect(before).toEqual([{ message: 'the tables are missing', help: 'run conductor engine up' }]);
    const reports = await Promise.all(admins.map((admin) => admin.migrate()));
    expect(reports.map(({ from }) => from).sort((a, b) => a - b)).toEqual([0, 1, 1, 1, 1, 1]);
    expect(await admins[0]?.check()).toEqual([]);
    expect(await openAdmin(addressOf('many')).migrate()).toEqual({ from: 1, to: 1 });
  });

  it('is left alone by an earlier version of conductor', async () => {
    await scene.query('create database later');
    const admin = openAdmin(addressOf('later'));
    await admin.migrate();
    const later = await openScene({ url: addressOf('later') });
    onTestFinished(() => later.close());
    await later.query('insert into conductor.versions (version) values (99)');
    await expect(admin.migrate()).rejects.toThrow(
      'the tables have version 99, and this conductor knows only 1',
    );
    expect(await admin.check()).toEqual([
      {
        message: 'the tables have version 99, and this conductor knows only 1',
        help: 'update conductor on this machine',
      },
    ]);
  });

  it.each([
    [
      'without durable commits',
      'alter database weak set synchronous_commit = off',
      /synchronous_commit is off/,
    ],
    [
      'in another encoding',
      `update pg_database set encoding = pg_char_to_encoding('LATIN1') where datname = 'weak'`,
      /has the encoding LATIN1/,
    ],
  ])('is refused %s', async (_, change, message) => {
    await scene.query('drop database if exists weak');
    await scene.query('create database weak');
    await openAdmin(addressOf('weak')).migrate();
    await scene.query(change);
    const admin = createPostgresAdmin({ url: addressOf('weak'), importPackage });
    try {
      const problems = await admin.check();
      expect(problems.map((problem) => problem.message).join()).toMatch(message);
    } finally {
      await admin.close();
    }
    await scene.query('drop database weak with (force)');
  });

  it('is named with the fix, and without credentials, where it does not work', async () => {
    await scene.query('create database empty');
    const { host } = new URL(cluster.url);
    const dead = scene.open({ url: `postgres://me:secret@127.0.0.1:9/runs`, patienceMs: PATIENCE_MS });
    await expect(dead.list()).rejects.toThrow(
      /^PostgreSQL at 127\.0\.0\.1:9\/runs doesn't answer: .*; check that it runs/,
    );
    const unset = scene.open({ url: addressOf('empty') });
    await expect(unset.list()).rejects.toThrow(
      new RegExp(`^the database ${host}/empty has no tables of conductor .*; run conductor engine up$`),
    );
    const missing = scene.open({ url: addressOf('absent') });
    await expect(missing.list()).rejects.toThrow(/\/absent doesn't exist .*; create it, or correct/);
  });
});
