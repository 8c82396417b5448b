import type { Spec } from '../../contracts/work/work-item.ts';

/** Specs: Markdown files with front matter in the repository, as they are committed on the default branch. */
export interface SpecFolder {
  readonly read: () => Promise<SpecReading>;
  readonly text: (blobSHA: string) => Promise<string | null>;
  /** A unified diff of two versions. */
  readonly diff: (fromBlobSHA: string, toBlobSHA: string) => Promise<string>;
}

export interface SpecReading {
  readonly specs: readonly Spec[];
  /** Invalid specs, with location and reason. */
  readonly problems: readonly SpecProblem[];
}

export interface SpecProblem {
  readonly filePath: string;
  readonly line: number | null;
  readonly message: string;
}
