import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export type Respond = (response: ServerResponse, count: number, request: Received) => void;

export const accept = (response: ServerResponse) => response.writeHead(200).end('{}');

/** A receiver on loopback. `respond` gets how many requests have arrived on the same path. */
export async function withReceiver(
  respond: Respond,
  use: (receiver: { readonly url: string; readonly received: Received[] }) => Promise<void>,
): Promise<void> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => {
      body += chunk;
    });
    request.on('end', () => {
      const arrived = { path: request.url ?? '', headers: request.headers, body };
      received.push(arrived);
      respond(response, received.filter(({ path }) => path === request.url).length, arrived);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    await use({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received });
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}
