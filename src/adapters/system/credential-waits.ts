import { mkdir, readFile } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import * as z from 'zod';
import { writeAtomically } from '../../node/atomic-file.ts';
import { sha256Hex } from '../../node/sha256.ts';
import type { CredentialWaits } from '../../ports/shared-stores.ts';

const waitSchema = z.object({ until: z.iso.datetime(), reason: z.string() });

/** Stores one small file for each credential, in a folder that all runs of a user share. */
export function createCredentialWaits(folder: string): CredentialWaits {
  const pathOf = (credential: string) => join(folder, `${sha256Hex(credential).slice(0, 32)}.json`);
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
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        await writeAtomically(pathOf(credential), `${JSON.stringify(wait)}\n`, { mode: 0o600 });
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
