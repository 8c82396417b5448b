import { networkInterfaces } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { startAttendant } from '../../../../app/page/attendant.ts';
import { createPageReader } from '../../../../app/page/page-reader.ts';
import type { PageTools } from '../../../../app/page/page-tools.ts';
import { openRunBoard, type RunBoard } from '../../../../app/page/run-board.ts';
import { openServedRepositories, type ServedRepository } from '../../../../app/page/served-repository.ts';
import type { TlsIdentity } from '../../../../ports/page-machine.ts';
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
import { ensureTrust } from '../../driving/ensure-trust.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { openWith } from '../../open.ts';
import { printable, printLines, stderrOf, stdoutOf } from '../../output/terminal.ts';
import { chooseAddress, listAddresses, type OwnAddress } from './choose-address.ts';
import { printPairing, printPairingOnEnter } from './pairing-output.ts';

const DEFAULT_PORT = 4178;
/** How many runs the attendant continues at the same time. */
const ATTENDED_RUNS = 4;

export interface ServeOptions {
  /** Null for the default port. */
  readonly port: number | null;
  readonly host: string | null;
  /** A network interface; true to ask for one; null to stay on this machine. */
  readonly lan: string | true | null;
  readonly repos: readonly string[];
  readonly open: boolean;
  /** Also work on items. */
  readonly work: boolean;
  readonly tls: boolean;
  readonly cert: string | null;
  readonly key: string | null;
  /** Print the pairing code although standard error is no terminal. */
  readonly printCode: boolean;
}

/** Serves the page, and continues runs, until the process is stopped. */
export async function serve(context: CommandContext, options: ServeOptions): Promise<ExitCode> {
  // By default the heap may become several times what is in use before garbage is collected: with 10,000 runs the server
  // took 372 MB, with this 236 MB in the same time (`npm run bench:page`).
  setFlagsFromString('--heap-growing-percent=25');
  const services = await context.services();
  const { address, isOpen } = await askForAddress(context, options);
  const folders = options.repos.length === 0 ? [context.startDir] : options.repos;
  const repositories = await openWith(context, () => openServedRepositories(services, folders));
  const tools = await services.pageTools();
  if (options.work)
    for (const { root } of repositories)
      await ensureTrust({ ...context, startDir: root }, { work: true, allWorkflows: true });
  const tls = await chooseIdentity(tools, options, address);
  const onError = (error: unknown) =>
    printLines(stderrOf(context.terminal), [printable(`conductor: ${messageOf(error)}`)]);
  const boards = new Map<string, RunBoard>();
  for (const { id, records } of repositories)
    boards.set(id, await openRunBoard({ records, watch: tools.watch, onError }));
  const stops: (() => void)[] = [tools.watch.close, ...[...boards.values()].map(({ close }) => close)];
  const endings: (() => Promise<void>)[] = [];
  try {
    const port = options.port ?? DEFAULT_PORT;
    const { page, ...listening } = await startServer({
      address,
      port,
      tls,
      // Nothing is continued before the address is taken: another server may be there already.
      openPage: async (bound) => {
        const places = { address, port: bound, isTls: tls !== null, url: tools.url };
        return {
          ...(await preparePage(context, { tools, repositories, boards, onError })),
          places: findServedPlaces(places),
          url: tools.url ?? urlOf(address, bound, tls),
          isTls: tls !== null,
        };
      },
    }).catch((error: unknown) => refuseListening(error, address, port));
    endings.push(listening.close, page.reader.close);
    const url = urlOf(address, listening.port, tls);
    announce(context, { url, isOpen, tls, repositories });
    const closeEnded = () => {
      page.sessions.closeEnded().catch(onError);
    };
    stops.push(page.attendant.close, tools.watch.watch(tools.sessions.folder, closeEnded));
    const pairing = { pairing: page.pairing, url: page.url, withQr: isOpen };
    if (context.terminal.interactive || options.printCode) {
      printPairing(context, pairing);
      stops.push(printPairingOnEnter(context, pairing));
    }
    if (options.open) {
      const { code } = page.pairing.create({ rights: 'answer', name: null });
      const opened = await tools.openBrowser(`${page.url}#pair=${code}`).catch(onError);
      if (opened !== undefined) endings.push(opened);
    }
    await whileInterruptible(context, { message: 'stopping', endProcesses: async () => {} }, (signal) =>
      serveUntil(signal, options.work ? { tools, repositories, onError } : null),
    );
  } finally {
    for (const stop of stops) stop();
    await Promise.all(endings.map((end) => end()));
  }
  return EXIT.interrupted;
}

interface PageParts {
  readonly tools: PageTools;
  readonly repositories: readonly ServedRepository[];
  readonly boards: ReadonlyMap<string, RunBoard>;
  readonly onError: (error: unknown) => void;
}

/** Everything of the page that does not depend on where it listens. */
async function preparePage(
  { terminal, version }: CommandContext,
  { tools, repositories, boards, onError }: PageParts,
): Promise<Omit<PageServer, 'places' | 'url' | 'isTls'>> {
  const now = () => new Date();
  const [first] = repositories;
  return {
    repositories,
    boards,
    reader: createPageReader(tools),
    attendant: startAttendant({
      repositories: repositories.flatMap((repo) => {
        const board = boards.get(repo.id);
        return board === undefined ? [] : [{ repo, board }];
      }),
      background: tools.background,
      clock: tools.clock,
      slots: ATTENDED_RUNS,
      onNote: (text) => printLines(stderrOf(terminal), [printable(text)]),
      onError,
    }),
    sessions: createSessions(tools.sessions, now),
    pairing: createPairing(now),
    version,
    defaultName: (await first?.records.userName()) ?? 'browser',
    watch: tools.watch,
    now,
    webFolder: tools.webFolder,
  };
}

/** Waits for the signal; meanwhile works on the items of the repositories, if wanted. */
async function serveUntil(
  signal: AbortSignal,
  work: Pick<PageParts, 'tools' | 'repositories' | 'onError'> | null,
): Promise<void> {
  const stopped = new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  const loops = (work?.repositories ?? []).map(async ({ root, name }) => {
    const { code, message } = await (work?.tools.background.watchWork(root, signal) ?? {
      code: 0,
      message: '',
    });
    if (!signal.aborted)
      work?.onError(new Error(`work on the items of ${name} ended with code ${code ?? 'none'}: ${message}`));
  });
  await stopped;
  await Promise.all(loops);
}

function announce(
  context: CommandContext,
  served: {
    readonly url: string;
    readonly isOpen: boolean;
    readonly tls: TlsIdentity | null;
    readonly repositories: readonly ServedRepository[];
  },
): void {
  const { url, isOpen, tls, repositories } = served;
  if (context.json)
    printJson(context, {
      url,
      pid: process.pid,
      fingerprint: tls?.fingerprint ?? null,
      repos: repositories.map(({ id, name, root }) => ({ id, name, path: root })),
    });
  else printLines(stdoutOf(context.terminal), [url]);
  const notes = stderrOf(context.terminal);
  if (tls !== null) printLines(notes, [`fingerprint of the certificate (SHA-256): ${tls.fingerprint}`]);
  if (isOpen)
    printLines(notes, [
      'every device in that network can reach this address; only paired browsers see or do anything',
      ...(tls === null
        ? [
            'without --tls, others in the network can read what the page shows; use it in networks that you trust',
          ]
        : []),
    ]);
}

function urlOf(address: string, port: number, tls: TlsIdentity | null): string {
  return `${tls === null ? 'http' : 'https'}://${hostOf(address)}:${port}/`;
}

async function chooseIdentity(
  tools: PageTools,
  { tls, cert, key }: ServeOptions,
  address: string,
): Promise<TlsIdentity | null> {
  if ((cert === null) !== (key === null))
    throw new CliError('--cert and --key belong together', 'give both, or --tls for a generated certificate');
  if (cert !== null && key !== null) return tools.readCertificate(cert, key);
  return tls ? tools.certificateFor(address) : null;
}

async function askForAddress(
  context: CommandContext,
  { host, lan }: ServeOptions,
): Promise<{ readonly address: string; readonly isOpen: boolean }> {
  const own = listOwnAddresses();
  const choice = chooseAddress({ host, lan }, own);
  if (choice.kind === 'address') return choice;
  if (!context.terminal.interactive)
    throw new CliError(
      "--lan can't ask which network to open without a terminal",
      `name an interface, --lan ${choice.options[0]?.name ?? 'NAME'}; there ${choice.options.length === 1 ? 'is' : 'are'} ${listAddresses(choice.options)}`,
    );
  const { isCancel, select } = await import('@clack/prompts');
  const chosen = await select({
    message: 'Which network may reach the page? Every device in it can; only paired browsers see anything.',
    options: choice.options.map(({ name, address }) => ({ value: address, label: address, hint: name })),
    output: process.stderr,
  });
  if (isCancel(chosen)) throw new CliError('no network was chosen; nothing was opened');
  return { address: chosen, isOpen: true };
}

function listOwnAddresses(): readonly OwnAddress[] {
  return Object.entries(networkInterfaces()).flatMap(([name, addresses]) =>
    (addresses ?? []).map(({ address, internal }) => ({ name, address, isInternal: internal })),
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
