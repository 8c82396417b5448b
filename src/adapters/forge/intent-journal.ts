import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import * as z from 'zod/mini';
import { ExpectedFailure } from '../../contracts/expected-failure.ts';
import { syncFolder } from '../../node/atomic-file.ts';
import type { IntentJournal, IntentState } from '../../ports/forge/intents.ts';
import { hasErrorCode } from '../../text/error-code.ts';

const lineSchema = z.discriminatedUnion('state', [
  z.object({ state: z.literal('begun'), key: z.string(), operation: z.string(), at: z.string() }),
  z.object({ state: z.literal('finished'), key: z.string(), result: z.unknown(), at: z.string() }),
]);
type Line = z.infer<typeof lineSchema>;

const LINE_FEED = 10;

/**
 * An intent journal in a file, one JSON document a line, for one process at a time. A line is on the disk before `begin` and
 * `finish` return. A last line that a crash cut off is ignored: what it would have said had not been acted on.
 */
export function createIntentFile(path: string, now: () => Date): IntentJournal {
  let lines: Map<string, Line> | null = null;
  const load = async (): Promise<Map<string, Line>> => {
    lines ??= await readLines(path);
    return lines;
  };
  const append = async (line: Line): Promise<void> => {
    const known = await load();
    await appendLine(path, `${JSON.stringify(line)}\n`);
    known.set(line.key, line);
  };
  const look = async (key: string): Promise<IntentState> => {
    const known = (await load()).get(key);
    if (known === undefined) return { kind: 'new' };
    return known.state === 'begun' ? { kind: 'begun' } : { kind: 'finished', result: known.result };
  };
  return {
    look,
    begin: async ({ key, operation }) => {
      const state = await look(key);
      if (state.kind === 'new') await append({ state: 'begun', key, operation, at: now().toISOString() });
      return state;
    },
    finish: (key, result) => append({ state: 'finished', key, result, at: now().toISOString() }),
  };
}

async function readLines(path: string): Promise<Map<string, Line>> {
  const text = await readText(path);
  const end = text.lastIndexOf('\n');
  const complete = end === -1 ? [] : text.slice(0, end).split('\n');
  const parsed = complete.flatMap((line, index) => (line === '' ? [] : parseLine(path, line, index + 1)));
  return new Map(parsed.map((line) => [line.key, line]));
}

function parseLine(path: string, text: string, number: number): Line | [] {
  try {
    return lineSchema.parse(JSON.parse(text));
  } catch (error) {
    // A line that a crash cut off was closed with a line feed before the next one was written.
    if (error instanceof SyntaxError) return [];
    throw new ExpectedFailure(
      `${path}:${number} is not a line of a journal: restore a copy of the file, or remove the line`,
      { cause: error },
    );
  }
}

async function readText(path: string): Promise<string> {
  try {
    // Agents without a sandbox can put a link here: it is not followed.
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
    try {
      return await file.readFile('utf8');
    } finally {
      await file.close();
    }
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return '';
    throw error;
  }
}

async function appendLine(path: string, line: string): Promise<void> {
  const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW;
  const file = await open(path, flags, 0o600);
  try {
    const { size } = await file.stat();
    const last = Buffer.alloc(1, LINE_FEED);
    if (size > 0) await file.read(last, 0, 1, size - 1);
    await file.writeFile(last[0] === LINE_FEED ? line : `\n${line}`);
    await file.sync();
    if (size === 0) await syncFolder(dirname(path));
  } finally {
    await file.close();
  }
}
