import type { OpenFile } from '../../../src/ports/record-files.ts';

export interface MemoryFile extends OpenFile {
  readonly readBytes: () => number;
}

/** A file in memory that counts what is read of it. */
export function memoryFile(content: string | Uint8Array, identity = '1:1'): MemoryFile {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  let read = 0;
  return {
    bytes: bytes.length,
    identity,
    read: async (buffer, position) => {
      const part = bytes.subarray(position, position + buffer.length);
      buffer.set(part);
      read += part.length;
      return part.length;
    },
    close: async () => {},
    readBytes: () => read,
  };
}

const WIDTH = 64;
/** The lines that fill the buffer of a reader, without numbers. */
const LINES = new TextEncoder().encode(`${'.'.repeat(WIDTH - 1)}\n`.repeat(2 ** 14));

/** A file of a size that no memory has: lines of 64 bytes, of which the first and the last of each read have a number. */
export function vastFile(lines: number): MemoryFile {
  let read = 0;
  const line = (n: number) => new TextEncoder().encode(`line ${n} `.padEnd(WIDTH - 1, '.').concat('\n'));
  return {
    bytes: lines * WIDTH,
    identity: 'vast',
    read: async (buffer, position) => {
      const length = Math.max(0, Math.min(buffer.length, lines * WIDTH - position));
      if (position % WIDTH !== 0 || length > LINES.length) throw new Error('not made for such a read');
      buffer.set(LINES.subarray(0, length));
      const first = position / WIDTH;
      const count = Math.floor(length / WIDTH);
      if (count > 0) {
        buffer.set(line(first), 0);
        buffer.set(line(first + count - 1), (count - 1) * WIDTH);
      }
      read += length;
      return length;
    },
    close: async () => {},
    readBytes: () => read,
  };
}
