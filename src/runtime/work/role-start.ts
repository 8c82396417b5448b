import type { RevisionReader } from '../../ports/revisions.ts';
import type { RoleRequest } from '../../work/engine/role.ts';
import type { RevisionFiles } from '../../work/engine/role-inputs.ts';
import type { Obstacle } from '../obstacle.ts';

export type RoleStart =
  | {
      readonly ok: true;
      readonly baseRef: string;
      /** The commit that the item's patch is based on. */
      readonly base: string;
      /** The files of the revision that the run is about, if there is one. */
      readonly work: RevisionFiles | null;
    }
  | { readonly ok: false; readonly obstacle: Obstacle };

/** Item ids are used in the names of branches and refs. */
const ITEM_ID = /^(?!.*(?:\.\.|\.lock$|\.$))[A-Za-z0-9][A-Za-z0-9._-]*$/;

/** Where a role's run starts: the default branch, or the head of the existing revision. */
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
  const head = findHead(request);
  if (head !== null) {
    const base = await reader.baseOf(head);
    if (base === null)
      return refuseStart(`revision ${head} has no common ancestor with the default branch`, null);
    const [{ files }, patch] = await Promise.all([reader.files(base, head), reader.patch(base, head)]);
    return { ok: true, baseRef: head, base, work: { files, patch } };
  }
  const branch = await reader.defaultBranch();
  const base = branch === null ? null : await reader.baseOf(`refs/heads/${branch}`);
  if (base === null)
    return refuseStart(
      'the default branch is unknown or has no commit, and a run starts from its last commit',
      'commit something: git add . && git commit -m "Start"; or name the branch: work.branch in .tnh/config.yaml',
    );
  return { ok: true, baseRef: base, base, work: null };
}

function findHead(request: RoleRequest): string | null {
  switch (request.role) {
    case 'planner':
      return null;
    case 'implementor':
      return request.earlier?.revision.headSHA ?? null;
    case 'reviewer':
      return request.revision.headSHA;
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
  return { ok: false, obstacle: { message, help } };
}
