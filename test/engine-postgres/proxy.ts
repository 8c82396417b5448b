import { createConnection, createServer, type Server, type Socket } from 'node:net';

/** Stands between an engine and the server, and can lose the answer to a statement that the server has executed. */
export interface Proxy {
  readonly url: string;
  /** Cuts the connection that next sends a statement with this text, after the server has answered it. */
  readonly loseAnswerTo: (text: string) => void;
  /** How many answers were lost. */
  readonly lost: () => number;
  readonly close: () => Promise<void>;
}

export async function startProxy(serverUrl: string): Promise<Proxy> {
  const { port } = new URL(serverUrl);
  const sockets = new Set<Socket>();
  let armed: string | null = null;
  let lost = 0;
  const server = createServer((client) => {
    const upstream = createConnection(Number(port), '127.0.0.1');
    let isDoomed = false;
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        client.destroy();
        upstream.destroy();
      });
    }
    client.on('data', (chunk) => {
      if (armed !== null && chunk.includes(armed)) {
        isDoomed = true;
        armed = null;
      }
      upstream.write(chunk);
    });
    upstream.on('data', (chunk) => {
      if (!isDoomed) {
        client.write(chunk);
        return;
      }
      lost += 1;
      client.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(serverUrl);
  url.port = String(portOf(server));
  return {
    url: url.href,
    loseAnswerTo: (text) => {
      armed = text;
    },
    lost: () => lost,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
  return address.port;
}
