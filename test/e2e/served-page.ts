import { vi } from 'vitest';
import { createPageReader } from '../../src/app/page/page-reader.ts';
import { openServedRepositories } from '../../src/app/page/served-repository.ts';
import type { StoredSession } from '../../src/ports/page-sessions.ts';
import { createPairing } from '../../src/surfaces/http/pairing.ts';
import { findServedPlaces } from '../../src/surfaces/http/security/served-places.ts';
import { createSessions } from '../../src/surfaces/http/sessions.ts';
import { startServer } from '../../src/surfaces/http/start-server.ts';
import { createServices } from '../../src/wiring.ts';
import { environmentOf } from '../../testing/cli.ts';
import type { Scene } from './scene.ts';

const ADDRESS = '127.0.0.1';

export interface ServedPage {
  /** The status and the document of a path below `/api/repos/ID`. */
  readonly get: (
    path: string,
  ) => Promise<{ readonly status: number; readonly body: Record<string, unknown> }>;
  readonly post: (path: string, body: unknown) => ReturnType<ServedPage['get']>;
  readonly fetch: (path: string) => Promise<Response>;
  readonly close: () => Promise<void>;
}

/** Serves the repository of a scene in this process, for a session that may answer. */
export async function servePage({ repo, cliOptions }: Scene): Promise<ServedPage> {
  for (const [name, value] of Object.entries(environmentOf(cliOptions))) vi.stubEnv(name, value);
  const services = createServices('0.0.0');
  const opened = await openServedRepositories(services, [repo.root]);
  if (!opened.ok) throw new Error(opened.obstacle.message);
  const [first] = opened.value;
  if (first === undefined) throw new Error('no repository');
  const tools = await services.pageTools();
  const stored = new Map<string, StoredSession>();
  const sessions = createSessions(
    {
      read: async (id) => stored.get(id) ?? null,
      list: async () => [...stored.values()],
      write: async (session) => void stored.set(session.id, session),
      remove: async (id) => stored.delete(id),
      folder: repo.root,
    },
    () => new Date(),
  );
  const { token } = await sessions.open({ name: 'Ann', rights: 'answer', from: ADDRESS });
  const reader = createPageReader(tools);
  const listening = await startServer({
    address: ADDRESS,
    port: 0,
    tls: null,
    openPage: async (port) => ({
      repositories: opened.value,
      boards: new Map(),
      attendant: { problems: () => [], close: () => {} },
      reader,
      sessions,
      pairing: createPairing(() => new Date()),
      places: findServedPlaces({ address: ADDRESS, port, isTls: false, url: null }),
      url: `http://${ADDRESS}:${port}/`,
      isTls: false,
      version: '0.0.0',
      defaultName: 'Ann',
      watch: tools.watch,
      now: () => new Date(),
      webFolder: tools.webFolder,
    }),
  });
  const origin = `http://${ADDRESS}:${listening.port}`;
  const cookie = `conductor=${token.id}.${token.secret}`;
  const send = (
    path: string,
    init: { method?: string; body?: string; headers?: Record<string, string> } = {},
  ) => fetch(`${origin}/api/repos/${first.id}${path}`, { ...init, headers: { cookie, ...init.headers } });
  const read = async (response: Response) => ({
    status: response.status,
    body: (await response.json()) as Record<string, unknown>,
  });
  return {
    get: async (path) => read(await send(path)),
    post: async (path, body) =>
      read(
        await send(path, {
          method: 'POST',
          body: JSON.stringify(body),
          headers: { 'content-type': 'application/json', origin, 'sec-fetch-site': 'same-origin' },
        }),
      ),
    fetch: send,
    close: async () => {
      await listening.close();
      await reader.close();
      vi.unstubAllEnvs();
    },
  };
}
