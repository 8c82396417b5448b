/** Run ids are sortable by the time they were made, collision-free and matched by prefix. */
export interface Ids {
  readonly newRunId: () => string;
}
