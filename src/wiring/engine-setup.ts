import { constants } from 'node:fs';
import { access, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { startDevServer } from '../adapters/engine-postgres/dev-server.ts';
import { createPostgresAdmin } from '../adapters/engine-postgres/engine-admin.ts';
import { stateFolderOf } from '../adapters/system/credential-waits.ts';
import type { EngineSetup } from '../app/engine/engine-setup.ts';
import type { EngineProblem } from '../ports/engine-admin.ts';
import { messageOf } from '../text/error-message.ts';
import { openHub, readBlobFolder, readDatabaseUrl } from './engine.ts';
import type { Configured } from './open.ts';

/** The server of the configured engine, for setting it up. */
export function createEngineSetup(configured: Configured): EngineSetup {
  const { engine } = configured.config;
  return {
    kind: engine.kind,
    openAdmin: async (url) => createPostgresAdmin({ url: url ?? readDatabaseUrl(engine) }),
    startDevServer: async () => {
      const folder = join(stateFolderOf(process.env), 'engine');
      const blobs = join(folder, 'blobs');
      await mkdir(blobs, { recursive: true, mode: 0o700 });
      const server = await startDevServer(join(folder, 'postgres'), process.env.PATH);
      return {
        ...server,
        environment: {
          CONDUCTOR_ENGINE_KIND: 'postgres',
          CONDUCTOR_ENGINE_BLOBS: blobs,
          [engine.url_env]: server.url,
        },
      };
    },
    checkPlaces: async () => [...(await checkBlobs(configured)), ...(await checkHub(configured))],
  };
}

async function checkBlobs({ config }: Configured): Promise<readonly EngineProblem[]> {
  const folder = readBlobFolder(config.engine);
  try {
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    return [];
  } catch (error) {
    const help = 'create it on storage that all workers share, writable for the users that they run as';
    return [{ message: `engine.blobs names a folder that can't be written: ${messageOf(error)}`, help }];
  }
}

async function checkHub(configured: Configured): Promise<readonly EngineProblem[]> {
  const hub = await openHub(configured);
  if (hub === null) return [];
  try {
    await hub.check();
    return [];
  } catch (error) {
    const help = 'check the address in engine.hub, and that git can reach it without asking for a password';
    return [{ message: messageOf(error), help }];
  }
}
