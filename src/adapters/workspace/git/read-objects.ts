import type { Git } from './git-command.ts';

export interface ReadObject {
  readonly id: string;
  readonly kind: string;
  readonly content: Buffer;
}

/**
 * Reads objects with one git process, in the given order. An object is null if git has none of that name or if it is
 * larger than `limitBytes`. A name with a line feed is never found.
 */
export async function readObjects(
  git: Git,
  names: readonly string[],
  limitBytes = Number.POSITIVE_INFINITY,
): Promise<readonly (ReadObject | null)[]> {
  const asked = names.filter((name) => !name.includes('\n'));
  const found = new Map<string, ReadObject | null>();
  if (asked.length > 0) {
    const { stdout } = await git(['cat-file', '--batch'], {
      stdin: asked.map((name) => `${name}\n`).join(''),
    });
    let at = 0;
    for (const name of asked) {
      const end = stdout.indexOf('\n', at);
      const [, id = '', kind = '', size] =
        /^([0-9a-f]+) (\w+) (\d+)$/.exec(stdout.subarray(at, end).toString('utf8')) ?? [];
      at = end + 1;
      if (size === undefined) continue;
      const content = stdout.subarray(at, at + Number(size));
      if (content.length <= limitBytes) found.set(name, { id, kind, content });
      at += Number(size) + 1;
    }
  }
  return names.map((name) => found.get(name) ?? null);
}
