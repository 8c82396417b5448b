/** What lies around a worktree, where a step has no business; policies judge by it. */

export const OUTSIDE_PLACES = [
  /** Git's own files that all checkouts share: hooks, configuration, attributes, alternates. */
  'git_files',
  /** Files of the user's own checkout. */
  'checkout',
  /** A link in the worktree that leads out of it. */
  'link',
  /** What lies behind such a link. */
  'behind_link',
  /** The records of runs. */
  'record',
  /** Files of the home folder that run or steer other programs. */
  'home',
  /** A ref that points at another ref. */
  'symbolic_ref',
  /** A snapshot or a salvage of the run. */
  'own_ref',
  /** An entry of the stash below the newest, which no ref leads to. */
  'stash',
  /** A ref of a remote repository on this machine. */
  'remote_ref',
] as const;
export type OutsidePlace = (typeof OUTSIDE_PLACES)[number];

export interface OutsideChange {
  readonly place: OutsidePlace;
  /** As a person would name it: a path, a link with its target, or a ref. */
  readonly subject: string;
  readonly verb: 'changed' | 'created' | 'deleted';
  /** Why it is not the step's doing; null when it may be. */
  readonly excuse: string | null;
  /** Whether it is as it was before the step again. */
  readonly putBack: boolean;
}
