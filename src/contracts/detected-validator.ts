/** Names that workflows may always use; what they run is found in the repository where the configuration is silent. */
export const DETECTED_NAMES = ['tests', 'lint', 'typecheck'] as const;
export type DetectedName = (typeof DETECTED_NAMES)[number];

export interface DetectedValidator {
  readonly name: DetectedName;
  readonly command: readonly [string, ...string[]];
  /** Where it was found, for people: `script "test" of package.json`. */
  readonly source: string;
  /** The report that the command writes, as `report` of a validator names it. */
  readonly report?: string;
}
