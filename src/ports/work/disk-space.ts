/** Whether there is space for another run. */
export interface DiskSpace {
  /** A folder that runs or work items write to, on a disk that is full; null if there is none. */
  readonly findFullFolder: () => Promise<string | null>;
}
