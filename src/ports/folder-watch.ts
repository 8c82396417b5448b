/** Notices changes in folders, without polling where the system can report them. */
export interface FolderWatch {
  /** Calls back after entries of the folder appeared, changed or disappeared; not for folders below. Returns how to stop. */
  readonly watch: (path: string, onChange: () => void) => () => void;
  readonly close: () => void;
}
