import type { Spec } from '../contracts/work-item.ts';

/** Specs: Markdown files with front matter in the repository, as they are committed on the default branch. */
export interface SpecFolder {
  readonly read: () => Promise<SpecReading>;
  readonly text: (blobSHA: string) => Promise<string | null>;
  /** A unified diff of two versions. */
  readonly diff: (fromBlobSHA: string, toBlobSHA: string) => Promise<string>;
}

export interface SpecReading {
  readonly specs: readonly Spec[];
  /** Files that look like specs and can't be used, with the place and why. */
  readonly problems: readonly SpecProblem[];
}

export interface SpecProblem {
  readonly filePath: string;
  readonly line: number | null;
  readonly message: string;
}
