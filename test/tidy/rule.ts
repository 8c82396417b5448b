/** A file of the project, by its path from the root with forward slashes. */
export interface ProjectFile {
  readonly path: string;
  readonly text: string;
}

export interface TidyRule {
  /** Completes the sentence "the project …". */
  readonly name: string;
  readonly covers: (path: string) => boolean;
  /** Files that the rule must have seen, or it looked in the wrong place. */
  readonly mustSee: readonly string[];
  /** One line per offence, beginning with the path. */
  readonly check: (files: readonly ProjectFile[]) => string[];
  /** The rule must report each of them. */
  readonly bad: Readonly<Record<string, readonly ProjectFile[]>>;
  /** Each must be left alone, however much it looks like an offence. */
  readonly good: Readonly<Record<string, readonly ProjectFile[]>>;
}

const CODE = /\.(?:ts|tsx|mts|js|mjs)$/;

/** Fixtures are data, whatever their ending. */
export function isCode(path: string): boolean {
  return CODE.test(path) && !path.startsWith('test/fixtures/');
}

export function isCodeIn(...folders: readonly string[]): (path: string) => boolean {
  return (path) => isCode(path) && folders.some((folder) => path.startsWith(`${folder}/`));
}

export function file(path: string, ...lines: readonly string[]): ProjectFile {
  return { path, text: `${lines.join('\n')}\n` };
}

export function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}
