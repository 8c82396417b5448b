/** What reports remember for a user, in the user's state folder. Losing it only changes the default time of a report. */
export interface ReportMemory {
  /** The repositories that the user has run in. */
  readonly repositories: () => Promise<readonly string[]>;
  readonly addRepository: (root: string) => Promise<void>;
  /** When a report was last printed to a terminal, in ISO 8601; null if never. `subject` is a repository, or `*` for all. */
  readonly lastPrinted: (subject: string) => Promise<string | null>;
  readonly setPrinted: (subject: string, at: string) => Promise<void>;
}
