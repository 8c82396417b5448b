import { SALVAGE_ROOT } from '../result/salvage-refs.ts';

/**
 * Refs of a run in the hub. A snapshot is named by its commit, so that two workers never push different commits to one
 * ref, and a late push of a worker that has lost the run changes nothing that a record names.
 */
export function hubRootOf(runId: string): string {
  return `refs/conductor/run/${runId}`;
}

export function hubBaseOf(runId: string): string {
  return `${hubRootOf(runId)}/base`;
}

export function hubSnapshotOf(runId: string, commit: string): string {
  return `${hubRootOf(runId)}/snapshot/${commit}`;
}

/** The commits that the branch of the run has been at. */
export function hubResultOf(runId: string, commit: string): string {
  return `${hubRootOf(runId)}/result/${commit}`;
}

/** The salvages of a run: `<run>` and `<run>.<name>`. */
export function hubSalvagesOf(runId: string): string {
  return `${SALVAGE_ROOT}/${runId}*`;
}

/** What `git ls-remote` prints: object ids by full ref name. */
export function parseRemoteRefs(text: string): ReadonlyMap<string, string> {
  const refs = new Map<string, string>();
  for (const line of text.split('\n')) {
    const [id, name] = line.split('\t');
    if (id !== undefined && name !== undefined && /^[0-9a-f]{40,64}$/.test(id)) refs.set(name, id);
  }
  return refs;
}

/**
 * The commit at which a push may move the branch of a run: empty if the branch must not exist. Null if the branch is at
 * a commit that no worker of this run has published, so that it must be left alone.
 */
export function findBranchLease(
  refs: ReadonlyMap<string, string>,
  runId: string,
  branchRef: string,
): string | null {
  const at = refs.get(branchRef);
  if (at === undefined) return '';
  return refs.has(hubResultOf(runId, at)) ? at : null;
}
