import { rmdir } from 'node:fs/promises';
import { kindOf } from '../git/file-kind.ts';
import type { Git } from '../git/git-command.ts';
import type { RunRepository } from '../repository/run-repository.ts';
import { displace } from './displaced.ts';
import { TRACKED_PATHSPEC } from './harness-link.ts';
import { pathInside } from './paths.ts';

const DEPTH_LIMIT = 32;
const PLACEHOLDER_NAME = '.conductor-seed';

/**
 * Makes git treat repositories that an agent created inside the checkout as plain folders. Otherwise their files would
 * be missing from every diff and snapshot, and one without a commit would make `git add` fail. Git descends into a
 * folder if the index lists a file in it, so this adds a placeholder for each, which the next `add -A` drops.
 */
export async function trackNestedRepositories(git: Git): Promise<readonly string[]> {
  const found: string[] = [];
  for (let depth = 0; depth < DEPTH_LIMIT; depth += 1) {
    const listed = await git(['ls-files', '-o', '-z', '--exclude-standard', ...TRACKED_PATHSPEC]);
    const folders = listed.stdout
      .toString('latin1')
      .split('\0')
      .filter((path) => path.endsWith('/'));
    if (folders.length === 0) break;
    found.push(...folders.map((path) => path.slice(0, -1)));
    await addPlaceholders(git, folders);
  }
  return found;
}

async function addPlaceholders(git: Git, folders: readonly string[]): Promise<void> {
  const empty = await git(['hash-object', '-w', '--stdin'], { stdin: '' });
  const blob = empty.stdout.toString('utf8').trim();
  const records = folders.map((folder) => `100644 ${blob} 0\t${folder}${PLACEHOLDER_NAME}\0`).join('');
  await git(['update-index', '-z', '--index-info'], { stdin: Buffer.from(records, 'latin1') });
}

/**
 * Moves aside the `.git` of repositories of which `tree` contains no files. `unread` are folders with a `.git` that git
 * does not list: it does not recognize them as a repository, or they are in the place of a submodule.
 */
export async function displaceNestedRepositories(
  repository: RunRepository,
  { nested, unread }: { readonly nested: readonly string[]; readonly unread: readonly string[] },
  tree: string,
): Promise<void> {
  if (nested.length + unread.length === 0) return;
  const listed = (await repository.git(['ls-tree', '-r', '-z', '--name-only', tree])).stdout;
  const known = listed.toString('latin1').split('\0');
  for (const folder of new Set([...nested.toReversed(), ...unread])) {
    if (known.some((path) => path.startsWith(`${folder}/`))) continue;
    const gitDir = pathInside(repository, `${folder}/.git`);
    if ((await kindOf(gitDir)) !== 'missing') await displace(repository, gitDir);
    await rmdir(pathInside(repository, folder)).catch(() => undefined);
  }
}
