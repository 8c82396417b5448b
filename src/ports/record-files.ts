/** Reads parts of files of a record, however large they are. */
export interface RecordFiles {
  /**
   * Opens a regular file below a folder. Null if there is none, and for a path that leaves the folder, also by a
   * symbolic link anywhere below it.
   */
  readonly open: (folder: string, relativePath: string) => Promise<OpenFile | null>;
}

export interface OpenFile {
  /** The size when it was opened. */
  readonly bytes: number;
  /** The same as long as it is the same file, although it may have grown. */
  readonly identity: string;
  /** Fills the buffer from this place in the file on; returns the number of bytes, 0 at the end. */
  readonly read: (buffer: Uint8Array, position: number) => Promise<number>;
  readonly close: () => Promise<void>;
}
