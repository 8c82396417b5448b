import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import * as z from 'zod';
import type { CredentialWaits } from '../../ports/shared-stores.ts';

const waitSchema = z.object({ until: z.iso.datetime(), reason: z.string() });

/** Stores one small file for each credential, in a folder that all runs of a user share. */
export function createCredentialWaits(folder: string): CredentialWaits {
  const pathOf = (credential: string) =>
    join(folder, `${createHash('sha256').update(credential).digest('hex').slice(0, 32)}.json`);
  return {
    find: async (credential) => {
      try {
        const parsed = waitSchema.safeParse(JSON.parse(await readFile(pathOf(credential), 'utf8')));
        return parsed.success ? parsed.data : null;
      } catch {
        return null;
      }
    },
    put: async (credential, wait) => {
      const path = pathOf(credential);
      const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`;
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        await writeFile(temporary, `${JSON.stringify(wait)}\n`, { flag: 'wx', mode: 0o600 });
        await rename(temporary, path);
      } catch {
        // Best effort: other runs run into the rate limit themselves.
      }
    },
  };
}

/** Conductor's folder in the user's state folder. An empty or relative `XDG_STATE_HOME` counts as unset. */
export function stateFolderOf({
  XDG_STATE_HOME,
  HOME,
}: Readonly<Record<string, string | undefined>>): string {
  const isUsable = XDG_STATE_HOME !== undefined && isAbsolute(XDG_STATE_HOME);
  return join(isUsable ? XDG_STATE_HOME : join(HOME ?? '/', '.local', 'state'), 'conductor');
}
