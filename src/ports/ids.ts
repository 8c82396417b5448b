/** Run ids sort by creation time, are collision-free and can be matched by prefix. */
export interface Ids {
  readonly newRunId: () => string;
}
