import { once } from 'node:events';
import { createServer } from 'node:net';
import { resolve } from 'node:path';
import type { WebOptions } from '../case.ts';
import { type CaseContext, formatSeconds } from '../case-context.ts';
import { startCommand } from '../command-process.ts';
import { quote } from '../text-match.ts';

export interface Served {
  readonly url: string;
  /** The output of the server so far; null if the case started none. */
  readonly output: () => Buffer | null;
  readonly stop: () => Promise<void>;
}

const PORT = '{port}';
const POLL_MS = 50;
const REQUEST_TIMEOUT_MS = 5_000;

/** Starts the server of a case, if it has one, and waits until it responds. */
export async function startServer(
  context: CaseContext,
  options: WebOptions,
  timeoutMs: number,
): Promise<Served> {
  const port = options.url.includes(PORT) ? String(await freePort()) : null;
  const fill = (text: string): string => (port === null ? text : text.replaceAll(PORT, port));
  const url = fill(options.url);
  if (options.serve === undefined) return { url, output: () => null, stop: () => Promise.resolve() };
  if (await isResponding(url))
    throw new Error(`something answers at ${url} already, so it is not known whose page would be tested`);
  const server = startCommand({
    command: options.serve.map(fill),
    cwd: resolve(context.cwd, options.cwd ?? '.'),
    env: { ...(port === null ? {} : { PORT: port }), ...options.env },
    stdin: null,
  });
  const output = (): Buffer => Buffer.concat([server.stdout(), server.stderr()]);
  const stop = async (): Promise<void> => {
    server.kill();
    await server.ended;
  };
  const deadline = performance.now() + timeoutMs;
  while (!(await isResponding(url))) {
    const gone = server.hasEnded();
    if (!gone && performance.now() <= deadline) {
      await new Promise((settle) => setTimeout(settle, POLL_MS));
      continue;
    }
    const what = gone
      ? 'the server ended before it answered'
      : `nothing answered after ${formatSeconds(timeoutMs)}`;
    await stop();
    throw new Error(`${what} at ${url}; it said ${quote(output().toString('utf8').trim())}`);
  }
  return { url, output, stop };
}

/** Any response counts; the case checks its content. */
async function isResponding(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, {
      redirect: 'manual',
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
    await response.body?.cancel();
    return true;
  } catch {
    return false;
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port is free');
  return address.port;
}
