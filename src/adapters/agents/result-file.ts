import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import * as z from 'zod';
import { type AgentResultFile, agentResultFileSchema } from '../../contracts/run/agent-result.ts';
import { findRoleResult } from '../../planner/claims/role-claims.ts';

const RESULT_LIMIT_MIB = 1;

export interface ResultFileReading {
  readonly result: AgentResultFile | null;
  /** Why an existing file is ignored; null if it is used or does not exist. */
  readonly note: string | null;
}

/**
 * Reads the result that an agent left at the path it was given. The file is unverified and nothing depends on
 * it, so any problem with it becomes a note. `realFolder` is what the folder resolved to before the agent
 * ran.
 */
export async function readResultFile(path: string, realFolder: string): Promise<ResultFileReading> {
  const content = await readResultText(path, realFolder);
  if (content === null) return { result: null, note: null };
  if (!content.ok) return ignoreFile(content.reason);
  let value: unknown;
  try {
    value = dropUnknownUsage(JSON.parse(content.text));
  } catch {
    return ignoreFile('it is not JSON');
  }
  const roleResult = findRoleResult(value);
  // An agent may write the role result itself instead of `{ result }`; wrap it.
  const isBareRoleResult = roleResult === value;
  const parsed = agentResultFileSchema.safeParse(
    isBareRoleResult ? { ...roleResult, result: roleResult } : value,
  );
  if (parsed.success) return { result: parsed.data, note: null };
  // Keep an invalid role result: the role's own contract check reports what is wrong with it.
  const result = roleResult === null ? null : { result: roleResult };
  return { ...ignoreFile(firstProblem(parsed.error)), result };
}

const usageHolderSchema = z.looseObject({ usage: z.record(z.string(), z.unknown()).nullable() });

/** Null and a missing field both mean that a number is unknown. */
function dropUnknownUsage(value: unknown): unknown {
  const parsed = usageHolderSchema.safeParse(value).data;
  if (parsed === undefined) return value;
  const { usage, ...others } = parsed;
  if (usage === null) return others;
  return {
    ...others,
    usage: Object.fromEntries(Object.entries(usage).filter(([, count]) => count !== null)),
  };
}

type Content = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly reason: string };

async function readResultText(path: string, realFolder: string): Promise<Content | null> {
  try {
    if ((await realpath(dirname(path))) !== realFolder)
      return { ok: false, reason: 'its folder was replaced' };
    // Does not follow a link, and does not block on a pipe.
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    const file = await open(join(realFolder, basename(path)), flags);
    try {
      const found = await file.stat();
      if (!found.isFile()) return { ok: false, reason: 'it is not a file' };
      if (found.size > RESULT_LIMIT_MIB * 1024 * 1024)
        return { ok: false, reason: `it is larger than ${RESULT_LIMIT_MIB} MiB` };
      return { ok: true, text: await file.readFile('utf8') };
    } finally {
      await file.close();
    }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code === 'ENOENT') return null;
    return { ok: false, reason: code === 'ELOOP' ? 'it is a link' : `it cannot be read (${String(code)})` };
  }
}

function ignoreFile(reason: string): ResultFileReading {
  return { result: null, note: `the result file is ignored: ${reason}` };
}

function firstProblem(error: z.ZodError): string {
  const [issue] = error.issues;
  if (issue === undefined) return 'it does not fit the schema';
  const where = z.core.toDotPath(issue.path);
  return where === '' ? issue.message.toLowerCase() : `${where}: ${issue.message.toLowerCase()}`;
}
