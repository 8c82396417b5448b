import { createServer, type ServerResponse, STATUS_CODES } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { getRequestListener } from '@hono/node-server';
import type { ErrorDocument } from '../../contracts/http/session-documents.ts';
import { createApp } from './app.ts';
import type { PageServer } from './page-server.ts';
import { refuseRequest } from './security/refuse-request.ts';
import { headOf, type Refusal } from './security/request-head.ts';
import { SECURITY_HEADERS } from './security/response-headers.ts';

/** A client that sends slowly, or opens many connections, is cut off. */
const CONNECTION_BOUNDS = {
  headersTimeout: 10_000,
  requestTimeout: 20_000,
  keepAliveTimeout: 10_000,
  connectionsCheckingInterval: 2_000,
  maxHeaderSize: 16_384,
  // Such requests are refused like all others with an odd host, with the same headers.
  requireHostHeader: false,
} as const;
const MAX_CONNECTIONS = 256;

export interface Listening {
  readonly page: PageServer;
  readonly port: number;
  readonly close: () => Promise<void>;
}

export interface ListenRequest {
  readonly address: string;
  readonly port: number;
  readonly tls: { readonly cert: string; readonly key: string } | null;
  /** Called with the port before the first request is answered. */
  readonly openPage: (port: number) => Promise<PageServer>;
}

/** Listens at one address. Throws if the address or the port is not available. */
export async function startServer({ address, port, tls, openPage }: ListenRequest): Promise<Listening> {
  const server =
    tls === null ? createServer(CONNECTION_BOUNDS) : createTlsServer({ ...CONNECTION_BOUNDS, ...tls });
  server.maxConnections = MAX_CONNECTIONS;
  // All headers are kept, so that the rule that bounds their number sees them.
  server.maxHeadersCount = 0;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: address, port, exclusive: true }, resolve);
  });
  const bound = (server.address() as AddressInfo).port;
  const page = await openPage(bound);
  const app = createApp(page);
  const listener = getRequestListener(app.fetch, { hostname: address, overrideGlobalObjects: false });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => refuseMalformed(error.code, socket));
  server.on('checkExpectation', (_, outgoing: ServerResponse) => sendRefusal(outgoing, UNKNOWN_EXPECTATION));
  server.on('request', (incoming, outgoing) => {
    // First of all, because everything after this builds on the head.
    const refusal = refuseRequest(headOf(incoming), page.places);
    if (refusal !== null) return sendRefusal(outgoing, refusal);
    listener(incoming, outgoing).catch(() => outgoing.destroy());
  });
  return {
    page,
    port: bound,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Ends the connection too: what follows a refused head may be the rest of its body. */
function sendRefusal(outgoing: ServerResponse, refusal: Refusal): void {
  outgoing.writeHead(refusal.status, REFUSAL_HEADERS);
  outgoing.end(refusalText(refusal));
}

const REFUSAL_HEADERS: Readonly<Record<string, string>> = {
  ...SECURITY_HEADERS,
  'content-type': 'application/json; charset=utf-8',
  connection: 'close',
};

function refusalText({ code, message, help }: Refusal): string {
  const document: ErrorDocument = { error: { code, message, help } };
  return JSON.stringify(document);
}

const UNKNOWN_EXPECTATION: Refusal = {
  status: 417,
  code: 'expectation',
  message: 'the request expects something that this server does not do',
  help: null,
};

/** What the parser refuses never becomes a request; its answer has the same headers as every other one. */
function refuseMalformed(code: string | undefined, socket: Duplex): void {
  if (!socket.writable || code === 'ECONNRESET') return void socket.destroy();
  const refusal = explainMalformed(code);
  const text = refusalText(refusal);
  const headers = { ...REFUSAL_HEADERS, 'content-length': String(Buffer.byteLength(text)) };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}\r\n${lines.join('')}\r\n${text}`);
}

function explainMalformed(code: string | undefined): Refusal {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return { status: 431, code: 'long_headers', message: 'the headers are too long', help: null };
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return { status: 408, code: 'slow', message: 'the request took too long', help: null };
    default:
      return { status: 400, code: 'malformed', message: 'the request is not valid HTTP', help: null };
  }
}
