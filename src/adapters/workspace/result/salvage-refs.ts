import type { Salvage } from '../../../ports/upkeep.ts';

export const SALVAGE_ROOT = 'refs/conductor/salvage';
/** Prefix of salvages of old ref values; the name of the ref follows. */
const MOVED_REF = 'ref/';
/** Prefix of salvages of the values that refs had before the user restored them. */
const UNDONE_REF = 'undone/';
/** Prefix that earlier versions used for both. */
const EARLIER_MOVED_REF = 'refs/';

/** The result of a run whose branch was not moved. */
export const RESULT_NAME = 'result';
/** Commits that the agent made in its checkout; the result has their files in one commit. */
export const COMMITS_NAME = 'commits';

/** The ref of a salvage of a run, in its store or in the user's repository. */
export function salvageRefOf(runId: string, name: string): string {
  return name === RESULT_NAME ? `${SALVAGE_ROOT}/${runId}` : `${SALVAGE_ROOT}/${runId}.${name}`;
}

/** The salvage ref for the value that a ref has before it is restored. */
export function undoneRefOf(runId: string, refName: string): string {
  return salvageRefOf(runId, `${UNDONE_REF}${refName.replace(/^refs\//, '')}`);
}

/** Null if the ref is not a salvage: other programs and earlier versions write refs here, too. */
export function parseSalvage(
  ref: string,
  commit: string,
  keptAt: string | null,
  place: Salvage['place'],
): Salvage | null {
  const [, runId, name = RESULT_NAME] = /^refs\/conductor\/salvage\/([^/.]+)(?:[./](.+))?$/.exec(ref) ?? [];
  if (runId === undefined) return null;
  const of = originOf(name);
  return { runId, ref, name, commit, of, place, keptAt: of.kind === 'files' ? keptAt : null };
}

/** Salvages of steps are called `<id>@<n>`. Other salvages of files were made when something was removed. */
function originOf(name: string): Salvage['of'] {
  for (const prefix of [MOVED_REF, UNDONE_REF, EARLIER_MOVED_REF])
    if (name.startsWith(prefix)) {
      const rest = name.slice(prefix.length);
      const refName = rest.startsWith('refs/') ? rest : `refs/${rest}`;
      return { kind: 'ref', refName, undone: prefix === UNDONE_REF };
    }
  return { kind: 'files', stepId: /^([^/@]+)@/.exec(name)?.[1] ?? null };
}
