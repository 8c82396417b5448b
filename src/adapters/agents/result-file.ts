import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import * as z from 'zod';
import { type AgentResultFile, agentResultFileSchema } from '../../contracts/agent-result.ts';
import { roleWordsOf } from '../../planner/role-words.ts';

const RESULT_LIMIT_BYTES = 1024 * 1024;

export interface ResultFileReading {
  readonly result: AgentResultFile | null;
  /** Why a file that was there does not count; null when it counts or there was none. */
  readonly note: string | null;
}

/**
 * Reads what an agent left at the path it was given. The file is the agent's word and nothing depends on
 * it, so whatever is wrong with it becomes a note. `realFolder` is where the path led before the agent ran.
 */
export async function readResultFile(path: string, realFolder: string): Promise<ResultFileReading> {
  const content = await readRegularFile(path, realFolder);
  if (content === null) return { result: null, note: null };
  if (!content.ok) return ignored(content.why);
  let value: unknown;
  try {
    value = withoutUnknownUse(JSON.parse(content.text));
  } catch {
    return ignored('it is not JSON');
  }
  const words = roleWordsOf(value);
  const parsed = agentResultFileSchema.safeParse(words === value ? { ...words, result: words } : value);
  if (parsed.success) return { result: parsed.data, note: null };
  // What a role gives back is held against its own contract, by whoever asked for it.
  return { ...ignored(firstProblem(parsed.error)), result: words === null ? null : { result: words } };
}

const useSchema = z.looseObject({ usage: z.record(z.string(), z.unknown()).nullable() });

/** Null says that a number is not known, as leaving it out does. */
function withoutUnknownUse(value: unknown): unknown {
  const parsed = useSchema.safeParse(value).data;
  if (parsed === undefined) return value;
  const { usage, ...others } = parsed;
  if (usage === null) return others;
  return { ...others, usage: Object.fromEntries(Object.entries(usage).filter(([, told]) => told !== null)) };
}

type Content = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly why: string };

async function readRegularFile(path: string, realFolder: string): Promise<Content | null> {
  try {
    if ((await realpath(dirname(path))) !== realFolder) return { ok: false, why: 'its folder was replaced' };
    // Without following a link, and without waiting for the other end of a pipe.
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    const file = await open(join(realFolder, basename(path)), flags);
    try {
      const found = await file.stat();
      if (!found.isFile()) return { ok: false, why: 'it is not a file' };
      if (found.size > RESULT_LIMIT_BYTES) return { ok: false, why: 'it is larger than 1 MiB' };
      return { ok: true, text: await file.readFile('utf8') };
    } finally {
      await file.close();
    }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code === 'ENOENT') return null;
    return { ok: false, why: code === 'ELOOP' ? 'it is a link' : `it cannot be read (${String(code)})` };
  }
}

function ignored(why: string): ResultFileReading {
  return { result: null, note: `the result file is ignored: ${why}` };
}

function firstProblem(error: z.ZodError): string {
  const [issue] = error.issues;
  if (issue === undefined) return 'it does not fit the schema';
  const where = z.core.toDotPath(issue.path);
  return where === '' ? issue.message.toLowerCase() : `${where}: ${issue.message.toLowerCase()}`;
}
