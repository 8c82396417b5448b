import { mkdir, readdir, readFile } from 'node:fs/promises';
import { basename, isAbsolute, join } from 'node:path';
import * as z from 'zod';
import { writeAtomically } from '../../node/atomic-file.ts';
import { sha256Hex } from '../../node/sha256.ts';
import type { ReportMemory } from '../../ports/report-memory.ts';
import { parseJson } from '../../text/json.ts';

const repositorySchema = z.object({ root: z.string().refine(isAbsolute) });
const printedSchema = z.object({ printed_at: z.iso.datetime() });

/** Stores one small file per repository, so that processes don't overwrite each other's entries. */
export function createReportMemory(stateFolder: string): ReportMemory {
  const repositories = join(stateFolder, 'repositories');
  const reports = join(stateFolder, 'reports');
  return {
    repositories: async () => {
      const names = await readdir(repositories).catch((): string[] => []);
      const found = await Promise.all(
        names.filter((name) => name.endsWith('.json')).map((name) => readJson(join(repositories, name))),
      );
      const roots = found.flatMap((value) => repositorySchema.safeParse(value).data?.root ?? []);
      return [...new Set(roots)].sort();
    },
    addRepository: (root) => writeJson(repositories, fileName(root), { root }),
    lastPrinted: async (subject) =>
      printedSchema.safeParse(await readJson(join(reports, fileName(subject)))).data?.printed_at ?? null,
    setPrinted: (subject, at) => writeJson(reports, fileName(subject), { printed_at: at }),
  };
}

/** A name for readers, and a hash that tells it from others of that name. */
function fileName(subject: string): string {
  const hash = sha256Hex(subject).slice(0, 16);
  return `${subject === '*' ? 'all' : basename(subject)}-${hash}.json`;
}

async function readJson(path: string): Promise<unknown> {
  const text = await readFile(path, 'utf8').catch(() => null);
  return text === null ? null : parseJson(text);
}

/** A run or a report must not fail because its time can't be remembered. */
async function writeJson(folder: string, name: string, value: unknown): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeAtomically(join(folder, name), `${JSON.stringify(value)}\n`, { mode: 0o600 });
  } catch {}
}
