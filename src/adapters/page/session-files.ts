import { mkdir, readdir, readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { sessionSchema } from '../../contracts/http/session-documents.ts';
import { writeAtomically } from '../../node/atomic-file.ts';
import type { SessionStore, StoredSession } from '../../ports/page-sessions.ts';
import { hasErrorCode } from '../../text/error-code.ts';
import { parseJson } from '../../text/json.ts';

const storedSchema = z.strictObject({
  ...sessionSchema.shape,
  secret_sha256: z.string().regex(/^[0-9a-f]{64}$/),
  from: z.string(),
});

const ID = /^[0-9a-f]{16}$/;

/** One file per session, which only the user can read. The secret of a session is not in it, only its digest. */
export function createSessionFiles(folder: string): SessionStore {
  const pathOf = (id: string) => join(folder, `${id}.json`);
  const read = async (id: string): Promise<StoredSession | null> => {
    if (!ID.test(id)) return null;
    const text = await readFile(pathOf(id), 'utf8').catch(() => null);
    const parsed = storedSchema.safeParse(text === null ? null : parseJson(text));
    return parsed.success && parsed.data.id === id ? parsed.data : null;
  };
  return {
    folder,
    read,
    list: async () => {
      const names = await readdir(folder).catch((): string[] => []);
      const ids = names.filter((name) => name.endsWith('.json')).map((name) => name.slice(0, -5));
      const found = await Promise.all(ids.map(read));
      return found
        .flatMap((session) => session ?? [])
        .sort((a, b) => a.created_at.localeCompare(b.created_at));
    },
    write: async (session) => {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await writeAtomically(pathOf(session.id), `${JSON.stringify(session)}\n`, { mode: 0o600 });
    },
    remove: async (id) => {
      if (!ID.test(id)) return false;
      try {
        await unlink(pathOf(id));
        return true;
      } catch (error) {
        if (hasErrorCode(error, 'ENOENT')) return false;
        throw error;
      }
    },
  };
}
