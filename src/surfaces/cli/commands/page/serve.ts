import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { createPageReader } from '../../../../app/page/page-reader.ts';
import { openRunBoard, type RunBoard } from '../../../../app/page/run-board.ts';
import { openServedRepositories } from '../../../../app/page/served-repository.ts';
import { hasErrorCode } from '../../../../text/error-code.ts';
import { messageOf } from '../../../../text/error-message.ts';
import type { PageServer } from '../../../http/page-server.ts';
import { createPairing } from '../../../http/pairing.ts';
import { findServedPlaces, hostOf } from '../../../http/security/served-places.ts';
import { createSessions } from '../../../http/sessions.ts';
import { startServer } from '../../../http/start-server.ts';
import { CliError } from '../../cli-error.ts';
import { type CommandContext, printJson } from '../../command-context.ts';
import { whileInterruptible } from '../../driving/driving.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { openWith } from '../../open.ts';
import { printLines, stderrOf, stdoutOf } from '../../output/terminal.ts';

const DEFAULT_PORT = 4178;
const LOOPBACK = '127.0.0.1';

export interface ServeOptions {
  /** Null for the default port. */
  readonly port: number | null;
  readonly host: string | null;
  readonly repos: readonly string[];
  /** Print the pairing code although standard error is no terminal. */
  readonly printCode: boolean;
}

/** Serves the page until the process is stopped. */
export async function serve(context: CommandContext, options: ServeOptions): Promise<ExitCode> {
  const address = chooseAddress(options.host);
  const services = await context.services();
  const folders = options.repos.length === 0 ? [context.startDir] : options.repos;
  const repositories = await openWith(context, () => openServedRepositories(services, folders));
  const tools = await services.pageTools();
  const now = () => new Date();
  const [first] = repositories;
  const defaultName = (await first?.records.userName()) ?? 'browser';
  const boards = new Map<string, RunBoard>();
  const onError = (error: unknown) => context.terminal.err(`conductor: ${messageOf(error)}\n`);
  for (const { id, records } of repositories)
    boards.set(id, await openRunBoard({ records, watch: tools.watch, onError }));
  const reader = createPageReader(tools);
  const sessions = createSessions(tools.sessions, now);
  const pairing = createPairing(now);
  const openPage = async (port: number): Promise<PageServer> => ({
    repositories,
    boards,
    reader,
    sessions,
    pairing,
    places: findServedPlaces({ address, port, isTls: false, url: null }),
    url: `http://${hostOf(address)}:${port}/`,
    isTls: false,
    version: context.version,
    defaultName,
    watch: tools.watch,
    now,
    webFolder: tools.webFolder,
  });
  const port = options.port ?? DEFAULT_PORT;
  const listening = await startServer({ address, port, tls: null, openPage }).catch((error: unknown) =>
    refuseListening(error, address, port),
  );
  const url = `http://${hostOf(address)}:${listening.port}/`;
  if (context.json)
    printJson(context, {
      url,
      pid: process.pid,
      repos: repositories.map(({ id, name, root }) => ({ id, name, path: root })),
    });
  else printLines(stdoutOf(context.terminal), [url]);
  const stopWatchingSessions = tools.watch.watch(tools.sessions.folder, () => {
    sessions.closeEnded().catch(onError);
  });
  if (context.terminal.live || options.printCode) {
    const { code } = pairing.create({ rights: 'answer', name: null });
    printLines(stderrOf(context.terminal), [`pair a browser within two minutes: ${url}#pair=${code}`]);
  }
  try {
    await whileInterruptible(context, { message: 'stopping', endProcesses: async () => {} }, untilAborted);
  } finally {
    stopWatchingSessions();
    for (const board of boards.values()) board.close();
    tools.watch.close();
    await listening.close();
    await reader.close();
  }
  return EXIT.interrupted;
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

/** An address of this machine; never all of its addresses at once. */
function chooseAddress(host: string | null): string {
  if (host === null || host === 'localhost') return LOOPBACK;
  if (isIP(host) === 0)
    throw new CliError(`"${host}" is no IP address`, 'name an address of this machine, such as 127.0.0.1');
  const own = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  if (own.some(({ address }) => address === host) || host.startsWith('127.')) return host;
  throw new CliError(
    `${host} is no address of this machine`,
    `its addresses: ${own.map(({ address }) => address).join(', ')}`,
  );
}

function refuseListening(error: unknown, address: string, port: number): never {
  if (hasErrorCode(error, 'EADDRINUSE'))
    throw new CliError(
      `another program uses port ${port} of ${address}`,
      'name a free one with --port N, or 0 for any',
      EXIT.failed,
    );
  if (hasErrorCode(error, 'EACCES'))
    throw new CliError(`port ${port} needs more rights`, 'name one above 1023 with --port N', EXIT.failed);
  throw error;
}
