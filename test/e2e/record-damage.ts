import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Changes a file, looks, and puts the file back: a scene's records have to be sound at the end. */
export async function whileChanged<T>(
  path: string,
  change: (content: Buffer) => Buffer | string,
  look: () => Promise<T>,
): Promise<T> {
  const content = await readFile(path);
  await writeFile(path, change(content));
  try {
    return await look();
  } finally {
    await writeFile(path, content);
  }
}

/** One bit of one byte, at the first place of a text or in the middle. */
export function flipByte(content: Buffer, at?: string): Buffer {
  const index = at === undefined ? Math.floor(content.length / 2) : content.indexOf(at) + at.length;
  const flipped = Buffer.from(content);
  flipped[index] = (content[index] ?? 0) ^ 1;
  return flipped;
}

/** A log with other events whose chain is sound again: as a forger would make it. */
export function forgeLog(content: Buffer, change: (event: Record<string, unknown>) => unknown): string {
  let prev = '0'.repeat(64);
  const lines = content
    .toString('utf8')
    .trimEnd()
    .split('\n')
    .map((line) => {
      const forged = JSON.stringify({ ...(change(JSON.parse(line)) as object), prev });
      prev = createHash('sha256').update(forged).digest('hex');
      return forged;
    });
  return `${lines.join('\n')}\n`;
}

/** Every file of a folder with its content, to be compared as a whole. */
export function filesOf(folder: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [path, createHash('sha256').update(readFileSync(path)).digest('hex')]),
  );
}
