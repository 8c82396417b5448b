import { execFile, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const DEBIAN = '/usr/lib/postgresql';
const SUPERUSER = 'conductor';
/** PostgreSQL refuses to run as root; the package creates this user. */
const SERVER_USER = 'postgres';

/** A private PostgreSQL server on a loopback port, with its data in a temporary folder. */
export interface Cluster {
  readonly url: string;
  /** `immediate` is a crash: without a checkpoint, and connections are cut. */
  readonly restart: (mode: 'fast' | 'immediate') => Promise<void>;
  /** Keeps a copy of the data as it is now, as a replica that lags behind has it. */
  readonly save: () => Promise<void>;
  /** Puts the copy in the place of the data: what was acknowledged since is lost. */
  readonly failOver: () => Promise<void>;
  /** Stops the server and deletes its data. */
  readonly remove: () => Promise<void>;
}

/** Null if PostgreSQL, its user or the packages `pg` and `pg-boss` are missing; a line says so. */
export function findPostgres(): string | null {
  const folder = findPrograms();
  const isRoot = process.getuid?.() === 0;
  const missing =
    folder === null
      ? 'PostgreSQL is not installed; scripts/install-system-packages.sh installs it'
      : isRoot && spawnSync('id', ['-u', SERVER_USER]).status !== 0
        ? `there is no user ${SERVER_USER}, and PostgreSQL refuses to run as root`
        : existsSync(join(import.meta.dirname, 'node_modules', 'pg-boss'))
          ? null
          : 'pg and pg-boss are not installed; node scripts/install-engine.mjs installs them';
  if (missing === null) return folder;
  process.stderr.write(`tests of the engine postgres are skipped: ${missing}\n`);
  return null;
}

function findPrograms(): string | null {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = versions.map((version) => join(DEBIAN, version, 'bin'));
  return folders.find((folder) => existsSync(join(folder, 'initdb'))) ?? null;
}

/** Imports `pg` and `pg-boss` from the folder of these tests. */
export function importPackage(name: string): Promise<unknown> {
  return import(name);
}

export async function startCluster(programs: string): Promise<Cluster> {
  const root = mkdtempSync(join(tmpdir(), 'conductor-pg-'));
  const identity = serverIdentity();
  if (identity !== null) chownSync(root, identity.uid, identity.gid);
  chmodSync(root, 0o700);
  const data = join(root, 'data');
  const port = await freePort();
  const options = { ...identity, cwd: root };
  const control = (...args: readonly string[]) =>
    run(join(programs, 'pg_ctl'), ['-D', data, '-w', '-t', '60', '-l', join(root, 'log'), ...args], options);
  const initdb = [
    '-D',
    data,
    '-U',
    SUPERUSER,
    '-A',
    'trust',
    '-E',
    'UTF8',
    '--no-locale',
    '--no-instructions',
  ];
  await run(join(programs, 'initdb'), initdb, options);
  const settings = `-p ${port} -k ${root} -c listen_addresses=127.0.0.1 -c max_connections=100 -c shared_buffers=32MB`;
  const saved = join(root, 'saved');
  const copy = async (from: string, to: string) => {
    await rm(to, { recursive: true, force: true });
    await run('cp', ['-a', from, to]);
  };
  const start = async () => void (await control('-o', settings, 'start'));
  const stop = async (mode = 'fast') => void (await control('-m', mode, 'stop'));
  await start();
  let isRemoved = false;
  return {
    url: `postgres://${SUPERUSER}@127.0.0.1:${port}/postgres`,
    restart: async (mode) => void (await control('-m', mode, 'restart')),
    save: async () => {
      await stop();
      await copy(data, saved);
      await start();
    },
    failOver: async () => {
      await stop('immediate');
      await copy(saved, data);
      await start();
    },
    remove: async () => {
      if (isRemoved) return;
      isRemoved = true;
      await stop('immediate').catch(() => {});
      await rm(root, { recursive: true, force: true });
    },
  };
}

function serverIdentity(): { readonly uid: number; readonly gid: number } | null {
  if (process.getuid?.() !== 0) return null;
  const idOf = (flag: string) => Number(spawnSync('id', [flag, SERVER_USER], { encoding: 'utf8' }).stdout);
  return { uid: idOf('-u'), gid: idOf('-g') };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
