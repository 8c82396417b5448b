/** The content of a file, and what of it would survive a power loss; null if the file would be gone. */
interface SimFile {
  readonly content: string;
  readonly durable: string | null;
}

/**
 * Files in memory. Writes are volatile until they are flushed: after a kill all writes remain, after a power
 * loss only the flushed ones.
 */
export interface SimDisk {
  readonly read: (path: string) => string | null;
  /** The content that a power loss would leave. */
  readonly readDurable: (path: string) => string | null;
  readonly write: (path: string, content: string, durable: boolean) => void;
  readonly append: (path: string, text: string) => void;
  readonly flush: (path: string) => void;
  readonly removeBelow: (folder: string) => void;
  readonly list: (folder: string) => readonly string[];
  /** `torn` is the fraction of the unflushed end of a file that reached the disk anyway, from 0 to 1. */
  readonly losePower: (torn: (path: string) => number) => void;
  readonly clone: () => SimDisk;
}

export function createSimDisk(initial: ReadonlyMap<string, SimFile> = new Map()): SimDisk {
  const files = new Map(initial);
  const read = (path: string) => files.get(path)?.content ?? null;
  const durableOf = (path: string) => files.get(path)?.durable ?? null;
  return {
    read,
    readDurable: durableOf,
    write: (path, content, durable) =>
      void files.set(path, { content, durable: durable ? content : durableOf(path) }),
    append: (path, text) =>
      void files.set(path, { content: `${read(path) ?? ''}${text}`, durable: durableOf(path) }),
    flush: (path) => {
      const content = read(path);
      if (content !== null) files.set(path, { content, durable: content });
    },
    removeBelow: (folder) => {
      for (const path of files.keys()) if (path.startsWith(`${folder}/`)) files.delete(path);
    },
    list: (folder) => [...files.keys()].filter((path) => path.startsWith(`${folder}/`)).sort(),
    losePower: (torn) => {
      for (const [path, file] of files) {
        const content = readSurvivingText(file, torn(path));
        if (content === null) files.delete(path);
        else files.set(path, { content, durable: content });
      }
    },
    clone: () => createSimDisk(files),
  };
}

/** Only an appended file can be torn; others are written under a temporary name and renamed. */
function readSurvivingText({ content, durable }: SimFile, torn: number): string | null {
  if (durable === null || !content.startsWith(durable)) return durable;
  const unflushed = content.slice(durable.length);
  return durable + unflushed.slice(0, Math.floor(unflushed.length * torn));
}
