import { writeSync } from 'node:fs';
import { lstat, open, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { renderTranscript, type TranscriptEntry } from '../../agents/transcript.ts';
import { maskSecrets } from '../../policy/secrets.ts';

export interface TranscriptFile {
  readonly path: string;
  /** Written when it returns, so that whoever follows the file sees it. */
  readonly append: (entry: TranscriptEntry) => void;
  /** How many bytes there was no room for. */
  readonly close: () => Promise<number>;
}

/** Writes what an agent does while it does it, without secrets, up to a limit. */
export async function openTranscriptFile(
  path: string,
  limitBytes: number,
  secrets: readonly string[],
): Promise<TranscriptFile> {
  // Whatever lies there goes first: a link planted by an agent must not be written through.
  await rm(path, { force: true, recursive: true });
  const file = await open(path, 'wx+');
  let keptBytes = 0;
  let cutBytes = 0;
  const write = (text: string): void => {
    const bytes = Buffer.from(text);
    // An entry is kept as a whole or not at all, and after the first one that does not fit nothing is kept.
    if (cutBytes > 0 || keptBytes + bytes.length > limitBytes) {
      cutBytes += bytes.length;
      return;
    }
    try {
      writeSync(file.fd, bytes);
      keptBytes += bytes.length;
    } catch {
      // A full disk must not stop the agent's output from being read.
      cutBytes += bytes.length;
    }
  };
  return {
    path,
    append: (entry) => write(maskSecrets(renderTranscript([entry]), secrets).replaceAll('\0', '\uFFFD')),
    close: async () => {
      if (cutBytes > 0) await file.writeFile(`[conductor: ${cutBytes} bytes cut]\n`).catch(() => undefined);
      const [own, there] = await Promise.all([file.stat(), lstat(path).catch(() => null)]);
      // An agent that is not shut in can put something else where its words are kept; they are written there again.
      if (there?.ino !== own.ino || there.dev !== own.dev) {
        await rm(path, { recursive: true, force: true });
        const copy = await open(path, 'wx');
        await pipeline(file.createReadStream({ start: 0, autoClose: false }), copy.createWriteStream());
      }
      await file.close();
      return cutBytes;
    },
  };
}
