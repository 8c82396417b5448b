import type { Revision, StackedOn } from '../../contracts/work/work-item.ts';
import type { RevisionReader } from '../../ports/work/revisions.ts';
import type { RoleRequest } from '../../work/engine/role.ts';
import type { RevisionFiles } from '../../work/engine/role-inputs.ts';
import { describeConflict } from '../../work/items/stack.ts';
import type { StackConflict } from '../../work/items/state.ts';
import type { Obstacle } from '../obstacle.ts';

export type RoleStart =
  | {
      readonly ok: true;
      readonly baseRef: string;
      /** The commit that the item's patch is based on. */
      readonly base: string;
      /** The files of the revision that the run is about, if there is one. */
      readonly work: RevisionFiles | null;
      /** The revisions that `base` contains besides the default branch. */
      readonly stackedOn: readonly StackedOn[];
    }
  | { readonly ok: false; readonly obstacle: Obstacle; readonly conflict: StackConflict | null };

/** Item ids are used in the names of branches and refs. */
const ITEM_ID = /^(?!.*(?:\.\.|\.lock$|\.$))[A-Za-z0-9][A-Za-z0-9._-]*$/;

/**
 * Where a role's run starts: at the head of the existing revision, or on the default branch with the blockers of the item
 * merged in. Stale work starts there again.
 */
export async function findStart(reader: RevisionReader, request: RoleRequest): Promise<RoleStart> {
  if (request.role !== 'planner' && !ITEM_ID.test(request.item.item.id))
    return refuseStart(`the id ${JSON.stringify(request.item.item.id)} can't be part of a branch name`, null);
  if (request.role === 'implementor') {
    const wrong = request.forbidden.find((path) => !canBeForbidden(path));
    if (wrong !== undefined)
      return refuseStart(
        `Out of Scope of item ${request.item.item.id} has an entry that can't be enforced: ${JSON.stringify(wrong)}`,
        'write it as a path relative to the repository',
      );
  }
  const revision = findRevision(request);
  if (revision !== null && (request.role !== 'implementor' || request.staleBlocker === null)) {
    const { headSHA, stackedOn = [] } = revision;
    const base = await findBase(reader, revision);
    if (base === null)
      return refuseStart(`revision ${headSHA} has no common ancestor with the default branch`, null);
    return { ok: true, baseRef: headSHA, base, stackedOn, work: await readWork(reader, base, headSHA) };
  }
  const branch = await reader.defaultBranch();
  const base = branch === null ? null : await reader.baseOf(`refs/heads/${branch}`);
  if (base === null)
    return refuseStart(
      'the default branch is unknown or has no commit, and a run starts from its last commit',
      'commit something: git add . && git commit -m "Start"; or name the branch: work.branch in .tnh/config.yaml',
    );
  if (request.role !== 'implementor') return { ok: true, baseRef: base, base, work: null, stackedOn: [] };
  return startOnStack(reader, base, request.stack, revision);
}

async function startOnStack(
  reader: RevisionReader,
  defaultBase: string,
  stack: readonly StackedOn[],
  stale: Revision | null,
): Promise<RoleStart> {
  const stacked = await reader.mergeStack(defaultBase, stack);
  if (!stacked.ok) {
    const conflict = { items: stacked.items, files: stacked.files, stack };
    const message = `its blockers can't be merged: ${describeConflict(conflict)}`;
    return { ok: false, obstacle: { message, help: null }, conflict };
  }
  const oldBase = stale === null ? null : await findBase(reader, stale);
  const work = stale === null || oldBase === null ? null : await readWork(reader, oldBase, stale.headSHA);
  return { ok: true, baseRef: stacked.commit, base: stacked.commit, work, stackedOn: stack };
}

/** The commit that the change of a revision applies to. */
async function findBase(reader: RevisionReader, { headSHA, baseSHA }: Revision): Promise<string | null> {
  return baseSHA ?? (await reader.baseOf(headSHA));
}

async function readWork(reader: RevisionReader, base: string, head: string): Promise<RevisionFiles> {
  const [{ files }, patch] = await Promise.all([reader.files(base, head), reader.patch(base, head)]);
  return { files, patch };
}

function findRevision(request: RoleRequest): Revision | null {
  switch (request.role) {
    case 'planner':
      return null;
    case 'implementor':
      return request.earlier?.revision ?? null;
    case 'reviewer':
      return request.revision;
  }
}

/** Rejects paths that a policy would never match, because they would silently forbid nothing. */
function canBeForbidden(path: string): boolean {
  return (
    path.trim() === path &&
    path !== '' &&
    !/^[!/]/.test(path) &&
    !path.split('/').includes('..') &&
    !/\/\.?\//.test(path)
  );
}

function refuseStart(message: string, help: string | null): RoleStart {
  return { ok: false, obstacle: { message, help }, conflict: null };
}
