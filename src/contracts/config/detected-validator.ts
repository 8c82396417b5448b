/** Names that workflows can always use; commands that are not configured are detected in the repository. */
export const DETECTED_NAMES = ['tests', 'lint', 'typecheck'] as const;
export type DetectedName = (typeof DETECTED_NAMES)[number];

export interface DetectedValidator {
  readonly name: DetectedName;
  readonly command: readonly [string, ...string[]];
  /** Where it was detected, for display: `script "test" of package.json`. */
  readonly source: string;
  /** The report that the command writes, as `report` of a validator names it. */
  readonly report?: string;
}
