/** How a program that ran in the background ended. */
export interface BackgroundEnd {
  /** Null if a signal ended it, or it could not be started. */
  readonly code: number | null;
  /** The end of what it reported as an error. */
  readonly message: string;
}

/** Starts conductor again, as processes of their own: they outlive the process that starts them. */
export interface BackgroundPrograms {
  /** Resumes a run until it ends, waits or fails. */
  readonly resume: (repoRoot: string, runId: string) => Promise<BackgroundEnd>;
  /** Works on the items of a repository until this process ends or the signal fires. */
  readonly watchWork: (repoRoot: string, signal: AbortSignal) => Promise<BackgroundEnd>;
}
