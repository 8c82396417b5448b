import type { Revision } from '../../contracts/work/work-item.ts';
import type { PullRequest } from '../../forge/forge-values.ts';
import { writeOnce } from '../../forge/write-once.ts';
import type { MergeRequest, MergeResult } from '../../ports/work/work-provider.ts';
import type { Projection } from './projection-context.ts';

/**
 * Merges the pull request of a revision on the forge, then moves the local default branch forward: items start from it. An
 * obstacle to the second step refuses the first one.
 */
export async function mergePull(
  projection: Projection,
  key: string,
  revision: Revision,
  request: MergeRequest,
): Promise<MergeResult> {
  const { memory, forge, branches } = projection;
  const { headSHA, message } = request;
  const known = memory.pulls[request.itemId];
  if (known?.mergedAs?.headSHA === headSHA) return follow(projection, known.mergedAs);
  if (known?.number == null) return refuse('it has no pull request on the forge', 'merge it again later');
  const { number } = known;
  const name = `pull request #${number}`;
  if (revision.headSHA !== headSHA) return refuse('the revision has moved', 'have it reviewed again');
  const pull = await forge.pulls.get(number);
  if (pull.state === 'closed') return refuse(`${name} is closed`, 'reopen it, and merge the item again');
  if (pull.headSha !== headSHA)
    return refuse(
      `${name} is at ${pull.headSha.slice(0, 7)}, but the approval is for ${headSHA.slice(0, 7)}`,
      `reset its branch to the approved commit, or close the item`,
    );
  if (pull.state === 'open') {
    const ready = await branches.followRemote(headSHA);
    if (!ready.ok) return ready;
  }
  const commit = pull.mergeSha !== null && pull.state === 'merged' ? pull.mergeSha : await send();
  known.state = 'merged';
  known.mergedAs = { headSHA, commit, into: pull.baseRef };
  await projection.save();
  return follow(projection, known.mergedAs);

  async function send(): Promise<string> {
    const [title = '', ...rest] = message.split('\n');
    return writeOnce<string>(projection.intents, {
      key: `merge/${memory.owner}/${key}/${headSHA}`,
      operation: 'merge pull request',
      recall: (result) => (typeof result === 'string' ? result : null),
      find: async () => mergedCommit(await forge.pulls.get(number)),
      write: async () => {
        const fields = { headSha: headSHA, title, message: rest.join('\n').trim() };
        return (await forge.pulls.merge(number, fields)).commit;
      },
    });
  }
}

function mergedCommit({ state, mergeSha }: PullRequest): string | null {
  return state === 'merged' ? mergeSha : null;
}

async function follow(
  { branches }: Projection,
  { headSHA, commit, into }: { readonly headSHA: string; readonly commit: string; readonly into: string },
): Promise<MergeResult> {
  const followed = await branches.followRemote(headSHA);
  return followed.ok ? { ok: true, into, commit } : followed;
}

function refuse(reason: string, help: string): MergeResult {
  return { ok: false, reason, help };
}
