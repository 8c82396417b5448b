import { readFile } from 'node:fs/promises';
import { text as readAll } from 'node:stream/consumers';
import { CliError } from './cli-error.ts';

/** What a person names on the command line: a file, or `-` for standard input. */
export async function readText(path: string): Promise<string> {
  const text = path === '-' ? await readAll(process.stdin) : await readFile(path, 'utf8').catch(() => null);
  if (text === null) throw new CliError(`${path} can't be read`, 'name a file, or - for standard input');
  return text;
}

/** The same, as JSON. */
export async function readJson(path: string): Promise<unknown> {
  const text = await readText(path);
  try {
    return JSON.parse(text);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new CliError(`${path} is not JSON: ${why}`, 'write it as one JSON object');
  }
}
