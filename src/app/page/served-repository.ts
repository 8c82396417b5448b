import { basename } from 'node:path';
import type { Obstacle } from '../../runtime/obstacle.ts';
import { slugOf } from '../../text/page-address.ts';
import type { Opened, Records } from '../opened.ts';
import { refuse } from '../opened.ts';
import type { Services } from '../services.ts';
import { UseCaseError } from '../use-case-error.ts';

/** A repository that the page shows. */
export interface ServedRepository {
  /** Names it in addresses: the name of its folder, with a number if two are the same. */
  readonly id: string;
  readonly name: string;
  readonly root: string;
  readonly records: Records;
  /** To open it to another depth: `services.openProject(root)`. */
  readonly services: Services;
}

/** Opens the repositories; one that is named twice, or by two of its folders, is served once. */
export async function openServedRepositories(
  services: Services,
  folders: readonly string[],
): Promise<Opened<readonly ServedRepository[]>> {
  const byRoot = new Map<string, Records>();
  for (const folder of folders) {
    const opened = await services.openRecords(folder);
    if (!opened.ok) return opened;
    byRoot.set(opened.value.repoRoot, opened.value);
  }
  const roots = [...byRoot.keys()];
  if (roots.length === 0) return refuse('no repository was named', 'name one with --repo DIR');
  const ids = nameRepositories(roots);
  return {
    ok: true,
    value: [...byRoot].map(([root, records], index) => ({
      id: ids[index] ?? String(index),
      name: basename(root),
      root,
      records,
      services,
    })),
  };
}

/** A name for addresses per root: lower case, digits and hyphens; a second one of the same name gets `-2`. */
function nameRepositories(roots: readonly string[]): readonly string[] {
  const taken = new Set<string>();
  return roots.map((root) => {
    const name = slugOf(basename(root));
    let id = name;
    for (let count = 2; taken.has(id); count += 1) id = `${name}-${count}`;
    taken.add(id);
    return id;
  });
}

/** The value, or an error with its obstacle. */
export function expectOpened<T>(opened: Opened<T>): T {
  if (opened.ok) return opened.value;
  throw obstacleError(opened.obstacle);
}

function obstacleError({ message, help }: Obstacle): UseCaseError {
  return new UseCaseError(message, help, 'failed');
}
