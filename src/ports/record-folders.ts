import type { RunDirectory } from './run-store.ts';

/** The folders of runs on this machine. An engine that keeps runs on a server uses them for the files of the runs. */
export interface RecordFolders {
  /** As `RunStore.locate`. */
  readonly locate: (runId: string, artifactsDir: string | null) => string;
  /** The path of a run whose folder exists, wherever it is. */
  readonly indexed: (runId: string) => string;
  /** Creates the folder of a run, or takes the one that is there. */
  readonly create: (runId: string, artifactsDir: string | null) => Promise<RecordFolder>;
  /** Every write calls `expectHeld` first. */
  readonly open: (runId: string, path: string, expectHeld?: () => void) => RunDirectory;
}

export interface RecordFolder {
  /** Absolute. */
  readonly path: string;
  /** The folder is not among the others, where a link names it. */
  readonly isElsewhere: boolean;
  /** Deletes the folder with all files, and the parents that were created for it. */
  readonly remove: () => Promise<void>;
}
