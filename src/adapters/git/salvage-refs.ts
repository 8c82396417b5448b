import type { Salvage } from '../../ports/upkeep.ts';
import { type Git, GitError } from './git-command.ts';
import { moveOwnRef } from './own-ref.ts';

const SALVAGE_ROOT = 'refs/conductor/salvage/';
/** Values of refs of the repository stand below this, with their full name. */
const MOVED_REFS = 'refs/';
/** Values that refs had before a person put them back. */
const UNDONE_REFS = 'undone/';
const SALVAGE_NAME_LIMIT = 1000;

const FORMAT = '%(objectname) %(committerdate:iso-strict) %(refname)';

export function salvageRefOf(runId: string, name: string): string {
  return `${SALVAGE_ROOT}${runId}/${name}`;
}

/** Where the value goes that a ref has before it is put back. */
export function undoneRefOf(runId: string, refName: string): string {
  return salvageRefOf(runId, `${UNDONE_REFS}${refName}`);
}

/** A salvage is the last copy of something, so none ever replaces another. */
export async function keepUnderNewRef(git: Git, wanted: string, commit: string): Promise<string> {
  for (let count = 1; count <= SALVAGE_NAME_LIMIT; count += 1) {
    const ref = count === 1 ? wanted : `${wanted}-${count}`;
    if ((await git(['show-ref', '--verify', '--quiet', ref], { answers: [1] })).exitCode === 0) continue;
    await moveOwnRef(git, ref, commit, '');
    return ref;
  }
  throw new GitError([], null, `there are already ${SALVAGE_NAME_LIMIT} salvages called ${wanted}`);
}

/** Oldest first. */
export async function listSalvages(git: Git): Promise<readonly Salvage[]> {
  const listed = await git(['for-each-ref', `--format=${FORMAT}`, SALVAGE_ROOT]);
  const found = listed.stdout
    .toString('utf8')
    .split('\n')
    .flatMap((line) => parseSalvage(line) ?? []);
  return found.toSorted((one, other) => timeOf(one) - timeOf(other));
}

/** Exported for its tests: names come from other programs too. */
export function parseSalvage(line: string): Salvage | null {
  const [, commit, date, ref] = /^([0-9a-f]{40,64}) (\S*) (refs\/.+)$/.exec(line) ?? [];
  const [, runId, name] = /^refs\/conductor\/salvage\/([^/]+)\/(.+)$/.exec(ref ?? '') ?? [];
  if (commit === undefined || ref === undefined || runId === undefined || name === undefined) return null;
  const of = originOf(name);
  return { runId, ref, name, commit, of, keptAt: of.kind === 'files' && date !== '' ? (date ?? null) : null };
}

/** Steps are called `<id>@<n>`; everything else that holds files was kept when something was taken away. */
function originOf(name: string): Salvage['of'] {
  for (const prefix of [MOVED_REFS, UNDONE_REFS])
    if (name.startsWith(prefix)) {
      const rest = name.slice(prefix.length);
      const refName = rest.startsWith('refs/') ? rest : `refs/${rest}`;
      return { kind: 'ref', refName, undone: prefix === UNDONE_REFS };
    }
  return { kind: 'files', stepId: /^([^/@]+)@/.exec(name)?.[1] ?? null };
}

function timeOf({ keptAt }: Salvage): number {
  return keptAt === null ? 0 : Date.parse(keptAt);
}
