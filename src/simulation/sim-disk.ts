/** What a file holds, and what of it would survive a power loss; null is a file that would be gone. */
interface SimFile {
  readonly content: string;
  readonly durable: string | null;
}

/**
 * Files in memory. Writing is volatile until it is flushed: a killed process leaves all that was written,
 * a power loss only what was flushed.
 */
export interface SimDisk {
  readonly read: (path: string) => string | null;
  /** What a power loss would leave of it. */
  readonly readDurable: (path: string) => string | null;
  readonly write: (path: string, content: string, durable: boolean) => void;
  readonly append: (path: string, text: string) => void;
  readonly flush: (path: string) => void;
  readonly removeBelow: (folder: string) => void;
  readonly list: (folder: string) => readonly string[];
  /** `torn` says how much of the unflushed end of a file reached the disk all the same, from 0 to 1. */
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
        const content = survivorOf(file, torn(path));
        if (content === null) files.delete(path);
        else files.set(path, { content, durable: content });
      }
    },
    clone: () => createSimDisk(files),
  };
}

/** Only a file that grew can be torn; others are written whole under another name and put in place. */
function survivorOf({ content, durable }: SimFile, torn: number): string | null {
  if (durable === null || !content.startsWith(durable)) return durable;
  const unflushed = content.slice(durable.length);
  return durable + unflushed.slice(0, Math.floor(unflushed.length * torn));
}
