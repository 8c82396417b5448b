import { mkdir, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Readable } from 'node:stream';
import type { CapturedStream } from '../../ports/supervisor.ts';
import { createLineTracker } from './line-tracker.ts';

export interface StreamCapture {
  /** Settles when the stream ends or is destroyed. */
  readonly read: (stream: Readable, onActivity: () => void) => Promise<void>;
  readonly close: () => Promise<CapturedStream>;
}

/** Keeps the head of a stream in a file and counts the rest. */
export async function openStreamCapture(
  path: string,
  limitBytes: number,
  onLine: ((line: string) => void) | null,
): Promise<StreamCapture> {
  await mkdir(dirname(path), { recursive: true });
  // Whatever lies there goes first: a link planted by an agent must not be written through.
  await rm(path, { force: true });
  const file = await open(path, 'wx');
  const lines = createLineTracker(onLine);
  let bytes = 0;
  let keptBytes = 0;
  let endsWithLineFeed = true;
  let full = false;

  const keep = async (chunk: Buffer): Promise<void> => {
    const kept = chunk.subarray(0, Math.max(0, limitBytes - keptBytes));
    if (full || kept.length === 0) return;
    try {
      await file.writeFile(kept);
      keptBytes += kept.length;
      endsWithLineFeed = kept.at(-1) === 0x0a;
    } catch {
      // A full disk must not stop the child's output from being read: it is counted as cut instead.
      full = true;
    }
  };

  return {
    read: async (stream, onActivity) => {
      try {
        for await (const chunk of stream as AsyncIterable<Buffer>) {
          onActivity();
          bytes += chunk.length;
          lines.push(chunk);
          await keep(chunk);
        }
      } catch (error) {
        if (!isEndOfPipe(error)) throw error;
      }
    },
    close: async () => {
      lines.end();
      const cutBytes = bytes - keptBytes;
      const cutLine = `${endsWithLineFeed ? '' : '\n'}[conductor: ${cutBytes} bytes cut]\n`;
      if (cutBytes > 0) await file.writeFile(cutLine).catch(() => undefined);
      await file.close();
      return { path, bytes, cutBytes, lastLine: lines.lastLine() };
    },
  };
}

function isEndOfPipe(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  return code === 'ERR_STREAM_PREMATURE_CLOSE' || code === 'ECONNRESET' || code === 'EIO' || code === 'EPIPE';
}
