import { readFile } from 'node:fs/promises';
import { text as readAll } from 'node:stream/consumers';
import { CliError } from './cli-error.ts';

/** Reads a file that the command line names, or standard input for `-`; `what` says in a message what it is. */
export async function readText(
  path: string,
  what = '',
  readInput: () => Promise<string> = () => readAll(process.stdin),
): Promise<string> {
  const text = path === '-' ? await readInput() : await readFile(path, 'utf8').catch(() => null);
  if (text !== null) return text;
  const name = what === '' ? path : `the ${what} ${path}`;
  throw new CliError(`${name} can't be read`, 'name a file, or - for standard input');
}

/** Same as `readText`, but parses the text as JSON. */
export async function readJson(path: string): Promise<unknown> {
  const parsed = parseJson(await readText(path));
  if (parsed.ok) return parsed.value;
  throw new CliError(`${path} is not JSON: ${parsed.why}`, 'write it as one JSON document');
}

export type ParsedJson =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly why: string };

export function parseJson(text: string): ParsedJson {
  try {
    return { ok: true, value: JSON.parse(text.replace(/^\uFEFF/, '')) };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    // The message quotes the text, including its line breaks.
    return { ok: false, why: why.replace(/\s+/g, ' ') };
  }
}
