import { createServer, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
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
} as const;
const MAX_CONNECTIONS = 256;
const MAX_HEADERS = 64;

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
  server.maxHeadersCount = MAX_HEADERS;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: address, port, exclusive: true }, resolve);
  });
  const bound = (server.address() as AddressInfo).port;
  const page = await openPage(bound);
  const app = createApp(page);
  const listener = getRequestListener(app.fetch, { hostname: address, overrideGlobalObjects: false });
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
function sendRefusal(outgoing: ServerResponse, { status, code, message, help }: Refusal): void {
  const document: ErrorDocument = { error: { code, message, help } };
  outgoing.writeHead(status, {
    ...SECURITY_HEADERS,
    'content-type': 'application/json; charset=utf-8',
    connection: 'close',
  });
  outgoing.end(JSON.stringify(document));
}
