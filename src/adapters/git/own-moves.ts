import { appendFile, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** A move of a ref that belongs to people, made by a conductor because a person asked for it. */
export interface OwnMove {
  readonly ref: string;
  readonly from: string;
  readonly to: string;
}

/** Beside the logs of git, which a move without a checkout leaves nothing in but a text that anybody can give it. */
export function ownMovesLog(gitDir: string): string {
  return join(gitDir, 'conductor', 'moves');
}

/** Comes before the move: a step that is looked at in between must find it told. */
export async function recordOwnMove(gitDir: string, { ref, from, to }: OwnMove): Promise<void> {
  const log = ownMovesLog(gitDir);
  await mkdir(dirname(log), { recursive: true });
  await appendFile(log, `${from} ${to} ${ref}\n`);
}

/** Whether moves that were told lead from one value of a ref to the other, without a gap. */
export function leadsTo(lines: readonly string[], { ref, from, to }: OwnMove): boolean {
  let at = from;
  for (const line of lines) {
    const [old, now, name] = line.split(' ');
    if (name === ref && old === at && now !== undefined) at = now;
  }
  return at === to;
}
