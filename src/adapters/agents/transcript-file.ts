import { writeSync } from 'node:fs';
import { lstat, open, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { renderTranscript, type TranscriptEntry } from '../../agents/transcript.ts';
import { maskSecrets } from '../../policy/secrets/secrets.ts';

export interface TranscriptFile {
  readonly path: string;
  /** Writes before it returns, so that readers following the file see the entry at once. */
  readonly append: (entry: TranscriptEntry) => void;
  /** Returns the number of bytes that exceeded the limit. */
  readonly close: () => Promise<number>;
}

/** Writes the transcript of an agent while it works, without secrets, up to a size limit. */
export async function openTranscriptFile(
  path: string,
  limitBytes: number,
  secrets: readonly string[],
): Promise<TranscriptFile> {
  // Remove what is at this path first: it may be a link planted by an agent, which must not be written through.
  await rm(path, { force: true, recursive: true });
  const file = await open(path, 'wx+');
  let keptBytes = 0;
  let cutBytes = 0;
  const write = (text: string): void => {
    const bytes = Buffer.from(text);
    // An entry is kept whole or not at all, and nothing is kept after the first one that does not fit.
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
      // An agent without a sandbox can replace the transcript file; write the transcript again in that case.
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
