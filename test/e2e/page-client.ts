import { request } from 'node:http';
import { connect } from 'node:net';
import type { StartedCli } from '../../testing/cli.ts';
import { type Scene, until } from './scene.ts';

/** A served page, and a browser that is paired with it. */
export interface Page {
  readonly server: StartedCli;
  readonly port: number;
  readonly url: string;
  /** The code that the server printed. */
  readonly code: string;
}

export interface PageReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly text: string;
  readonly json: Readonly<Record<string, unknown>>;
}

/** Starts the built command, and waits until it has printed a code. */
export async function openPage(scene: Scene, ...args: readonly string[]): Promise<Page> {
  const server = scene.cli.start(['serve', '--port', '0', '--print-code', ...args]);
  const code = await until(() => /#pair=([\w-]{22})\n/.exec(server.stderr())?.[1]);
  const url = server.stdout().split('\n')[0] ?? '';
  return { server, url, port: Number(new URL(url).port), code };
}

/** One request, with exactly these headers besides `Host`. */
export function ask(
  { port }: Pick<Page, 'port'>,
  method: string,
  path: string,
  {
    headers = {},
    body,
  }: { readonly headers?: Readonly<Record<string, string>>; readonly body?: string } = {},
): Promise<PageReply> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, method, path, headers, agent: false }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('error', reject);
      answer.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text, json: parse(text) });
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

function parse(text: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}

/** What the page itself sends. */
export class Browser {
  readonly page: Pick<Page, 'port'>;
  cookie: string;

  constructor(page: Pick<Page, 'port'>, cookie: string) {
    this.page = page;
    this.cookie = cookie;
  }

  get(path: string): Promise<PageReply> {
    return ask(this.page, 'GET', path, { headers: { cookie: this.cookie, 'sec-fetch-site': 'same-origin' } });
  }

  send(method: 'POST' | 'DELETE', path: string, document?: unknown): Promise<PageReply> {
    const body = document === undefined ? undefined : JSON.stringify(document);
    const headers = { cookie: this.cookie, ...ownHeaders(this.page), ...lengthOf(body) };
    return ask(this.page, method, path, { headers, ...(body === undefined ? {} : { body }) });
  }
}

export function ownHeaders({ port }: Pick<Page, 'port'>): Record<string, string> {
  return { origin: `http://127.0.0.1:${port}`, 'sec-fetch-site': 'same-origin' };
}

export function lengthOf(body: string | undefined): Record<string, string> {
  return body === undefined
    ? {}
    : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) };
}

/** Pairs with a code, by default the one that the server printed. */
export async function pair(page: Page, document: object = { code: page.code }): Promise<Browser> {
  const reply = await new Browser(page, '').send('POST', '/api/pair', document);
  if (reply.status !== 200) throw new Error(`pairing was refused: ${reply.text}`);
  const [cookie = ''] = String(reply.headers['set-cookie']).split(';');
  return new Browser(page, cookie);
}

/** Sends bytes as they are, and returns what comes back until the server closes the connection. */
export function sendRaw({ port }: Pick<Page, 'port'>, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('error', reject);
    socket.on('close', () => resolve(Buffer.concat(chunks).toString('latin1')));
  });
}

export interface Drip {
  /** What the server has sent when the connection is closed. */
  readonly ended: Promise<string>;
  readonly isClosed: () => boolean;
  readonly close: () => void;
}

/** Sends bytes, and then, as a client that wants to keep the connection, one more every half second. */
export function dripRaw({ port }: Pick<Page, 'port'>, bytes: string, drop: string): Drip {
  let isClosed = false;
  let text = '';
  const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
  const timer = drop === '' ? undefined : setInterval(() => socket.write(drop), 500);
  const ended = new Promise<string>((resolve) => {
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      isClosed = true;
      clearInterval(timer);
      resolve(text);
    });
  });
  return { ended, isClosed: () => isClosed, close: () => socket.destroy() };
}

export interface OpenStream {
  /** Everything that has come so far. */
  readonly text: () => string;
  /** The numbers of the run's events that have come so far. */
  readonly ids: () => readonly number[];
  readonly isClosed: () => boolean;
  readonly close: () => void;
}

export function openStream(
  { page, cookie }: Browser,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): OpenStream {
  let text = '';
  let isClosed = false;
  const end = () => {
    isClosed = true;
  };
  const sent = request(
    {
      host: '127.0.0.1',
      port: page.port,
      path,
      agent: false,
      headers: { cookie, accept: 'text/event-stream', 'sec-fetch-site': 'same-origin', ...headers },
    },
    (answer) => {
      answer.setEncoding('utf8');
      answer.on('data', (chunk: string) => {
        text += chunk;
      });
      answer.on('close', end);
      answer.on('error', end);
    },
  );
  sent.on('error', end);
  sent.end();
  return {
    text: () => text,
    ids: () => [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id)),
    isClosed: () => isClosed,
    close: () => sent.destroy(),
  };
}
