import type { WorkspaceDiff } from '../../contracts/run/workspace-change.ts';
import type { ReviewRecord } from '../../contracts/work/work-event.ts';
import type { Revision, StackedOn } from '../../contracts/work/work-item.ts';
import type { EarlierWork, GivenItem, RoleRequest } from './role.ts';

/** A prompt shows at most this much of a patch; the files are in the checkout. */
const PATCH_LIMIT = 200_000;

/** The files of a revision that a request includes. */
export interface RevisionFiles {
  readonly files: WorkspaceDiff['files'];
  readonly patch: string;
}

/** What a role's run is based on. */
export interface RoleBase {
  readonly base: string;
  readonly work: RevisionFiles | null;
  readonly stackedOn: readonly StackedOn[];
}

/**
 * The typed inputs of a role's run. Values other than text are JSON. `item_base` is the base of its patch.
 */
export function buildRoleInputs(
  request: RoleRequest,
  { base, work, stackedOn }: RoleBase,
  warnings: readonly string[],
): Record<string, string> {
  switch (request.role) {
    case 'planner':
      return {
        specs: json(request.specs.map(({ spec, text, diff }) => ({ ...spec, text, diff }))),
        items: json(
          request.items.map(({ item, body }) => ({
            id: item.id,
            title: item.title,
            status: item.status,
            body,
          })),
        ),
      };
    case 'implementor':
      return {
        ...formatItem(request.item),
        task: `${request.item.item.title}\n\n${request.item.body}`,
        item_base: base,
        ...(stackedOn.length === 0 ? {} : { stacked_on: json(stackedOn) }),
        ...(request.earlier === null
          ? {}
          : formatWorkToContinue(request.earlier, request.staleBlocker, work)),
      };
    case 'reviewer':
      return {
        ...formatItem(request.item),
        item_base: base,
        patch: shortenPatch(work?.patch ?? ''),
        ...(warnings.length === 0 ? {} : { scope_warnings: json(warnings) }),
        ...formatEarlierWork(request.revision, request.reviews, work),
      };
  }
}

function formatItem({ item, body, extensions = [] }: GivenItem): Record<string, string> {
  const { id, title, type, priority, complexity, blockedBy } = item;
  return {
    item: json({ id, title, type, priority, complexity, blockedBy }),
    item_body: body,
    ...(extensions.length === 0 ? {} : { scope_extensions: json(extensions) }),
  };
}

/** Stale work is not in the checkout: its base has changed, so the implementor gets it as a patch. */
function formatWorkToContinue(
  { revision, reviews }: EarlierWork,
  staleBlocker: string | null,
  work: RevisionFiles | null,
): Record<string, string> {
  if (staleBlocker === null) return formatEarlierWork(revision, reviews, work);
  const { reviews: history } = formatEarlierWork(revision, reviews, work);
  return {
    stale_patch: shortenPatch(work?.patch ?? ''),
    ...(history === undefined ? {} : { reviews: history }),
  };
}

function formatEarlierWork(
  { id, title, body, headSHA, headRef, pipeline }: Revision,
  reviews: readonly ReviewRecord[],
  work: RevisionFiles | null,
): Record<string, string> {
  const files = (work?.files ?? []).map(({ path, oldPath, status, insertions, deletions }) => ({
    path,
    old_path: oldPath,
    status,
    insertions,
    deletions,
  }));
  const history = reviews.map(({ headSHA: head, review }) => ({ head_sha: head, ...review }));
  return {
    revision: json({ id, title, body, head_sha: headSHA, head_ref: headRef, pipeline, files }),
    ...(history.length === 0 ? {} : { reviews: json(history) }),
  };
}

function shortenPatch(patch: string): string {
  const more = patch.length - PATCH_LIMIT;
  return more <= 0
    ? patch
    : `${patch.slice(0, PATCH_LIMIT)}\n[${more} characters omitted; the files are in this folder]\n`;
}

function json(value: unknown): string {
  return JSON.stringify(value, null, 2);
}
