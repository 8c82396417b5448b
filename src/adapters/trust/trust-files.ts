import { appendFile, mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type TrustedPart, trustedPartSchema } from '../../contracts/config/trust.ts';
import { ExpectedFailure } from '../../contracts/expected-failure.ts';
import { sha256Hex } from '../../node/sha256.ts';
import type { TrustStore } from '../../ports/shared-stores.ts';
import { messageOf } from '../../text/error-message.ts';

const ENDING = '.ndjson';

/**
 * Stores one file for each repository, with one line for each trusted part. Lines are only appended, each
 * time in one write, so that processes don't overwrite each other's. A torn or unknown line is skipped, so
 * the user is asked again.
 */
export function createTrustFiles(folder: string): TrustStore {
  const pathOf = (gitDir: string) => join(folder, `${repositoryName(gitDir)}${ENDING}`);
  return {
    find: (gitDir) => readParts(pathOf(gitDir)),
    add: async (gitDir, parts) => {
      const path = pathOf(gitDir);
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        // The leading line feed ends a line that a crash has cut off.
        const lines = parts.map((part) => `${JSON.stringify(part)}\n`).join('');
        await appendFile(path, `\n${lines}`, { mode: 0o600 });
      } catch (error) {
        const reason = messageOf(error);
        throw new ExpectedFailure(`what you trust can't be recorded in ${path}: ${reason}`);
      }
    },
    remove: async (gitDir) => {
      const path = pathOf(gitDir);
      if ((await readParts(path)).length === 0) return false;
      await rm(path, { force: true });
      return true;
    },
    list: async () => {
      const names = (await readdir(folder).catch((): string[] => [])).filter((name) => name.endsWith(ENDING));
      const lists = await Promise.all(names.sort().map((name) => readParts(join(folder, name))));
      return lists.filter((parts) => parts.length > 0);
    },
  };
}

/** The name of the repository for readers, and a hash that tells it from others of that name. */
function repositoryName(gitDir: string): string {
  const folder = basename(gitDir) === '.git' ? dirname(gitDir) : gitDir;
  const hash = sha256Hex(gitDir).slice(0, 16);
  return `${basename(folder)}-${hash}`;
}

async function readParts(path: string): Promise<readonly TrustedPart[]> {
  const text = await readFile(path, 'utf8').catch(() => '');
  return text.split('\n').flatMap((line) => {
    if (line === '') return [];
    try {
      const parsed = trustedPartSchema.safeParse(JSON.parse(line));
      return parsed.success ? [parsed.data] : [];
    } catch {
      return [];
    }
  });
}
