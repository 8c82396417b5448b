import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { access, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { ExpectedFailure } from '../../contracts/expected-failure.ts';
import { messageOf } from '../../text/error-message.ts';

const run = promisify(execFile);
/** Debian keeps the programs of each version in a folder that is not on the path. */
const DEBIAN = '/usr/lib/postgresql';
const USER = 'conductor';
/** The longest path of a socket is short, so the server has none: clients connect over loopback. */
const SETTINGS = '-c listen_addresses=127.0.0.1 -c unix_socket_directories=';

export interface DevServer {
  /** The connection string. */
  readonly url: string;
  /** It was not running before. */
  readonly isStarted: boolean;
  /** The command that stops it. */
  readonly stop: readonly string[];
}

/**
 * Starts a PostgreSQL server for one user on a loopback port, with its data and a random password in `folder`. Creates
 * the data when it is first called; later, starts the same server again.
 */
export async function startDevServer(folder: string, searchPath: string | undefined): Promise<DevServer> {
  if (process.getuid?.() === 0)
    throw new ExpectedFailure(
      'PostgreSQL refuses to run as root; start it as another user, or use a server that runs already',
    );
  const programs = await findPrograms(searchPath);
  if (programs === null)
    throw new ExpectedFailure(
      'PostgreSQL is not installed (initdb is neither on the PATH nor below /usr/lib/postgresql); install it, for example with apt-get install postgresql',
    );
  const data = join(folder, 'data');
  const at = (name: string) => join(programs, name);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (!(await exists(join(folder, 'port')))) await createData(at('initdb'), folder, data);
  const [port, password] = await Promise.all(
    ['port', 'password'].map(async (name) => (await readFile(join(folder, name), 'utf8')).trim()),
  );
  const isRunning = await run(at('pg_ctl'), ['-D', data, 'status']).then(
    () => true,
    () => false,
  );
  const log = join(folder, 'log');
  if (!isRunning)
    await run(at('pg_ctl'), ['-D', data, '-w', '-l', log, '-o', `-p ${port} ${SETTINGS}`, 'start']).catch(
      (error: unknown) => {
        throw new ExpectedFailure(`PostgreSQL did not start; ${log} says why: ${messageOf(error)}`);
      },
    );
  return {
    url: `postgres://${USER}:${password}@127.0.0.1:${port}/postgres`,
    isStarted: !isRunning,
    stop: [at('pg_ctl'), '-D', data, 'stop'],
  };
}

/** Data without a port is from an attempt that was interrupted. */
async function createData(initdb: string, folder: string, data: string): Promise<void> {
  await rm(data, { recursive: true, force: true });
  const password = randomBytes(24).toString('hex');
  const file = join(folder, 'password');
  await writeFile(file, `${password}\n`, { mode: 0o600 });
  const user = ['-U', USER, '-A', 'scram-sha-256', `--pwfile=${file}`];
  await run(initdb, ['-D', data, ...user, '-E', 'UTF8', '--no-locale', '--no-instructions']);
  await writeFile(join(folder, 'port'), `${await findFreePort()}\n`, { flush: true });
}

/** The folder with `initdb` and `pg_ctl`. */
async function findPrograms(searchPath: string | undefined): Promise<string | null> {
  const versions = (await readdir(DEBIAN).catch((): string[] => [])).sort((a, b) => Number(b) - Number(a));
  const folders = [
    ...versions.map((version) => join(DEBIAN, version, 'bin')),
    ...(searchPath ?? '').split(delimiter).filter((folder) => folder !== ''),
  ];
  for (const folder of folders)
    if ((await exists(join(folder, 'initdb'))) && (await exists(join(folder, 'pg_ctl')))) return folder;
  return null;
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port is free');
  return address.port;
}
