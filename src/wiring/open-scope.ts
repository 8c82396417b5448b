import { createPrograms } from '../adapters/programs/compare-programs.ts';
import { findRepository } from '../adapters/workspace/git/find-repository.ts';
import { createScopeSources } from '../adapters/workspace/items/scope-sources.ts';
import type { Opened, OpenScope } from '../app/services.ts';

/** A patch can be checked outside a repository, but a `base` must exist if one is given. */
export async function openScope(startDir: string, base: string | null): Promise<Opened<OpenScope>> {
  const programs = createPrograms();
  const found = await findRepository(startDir);
  const sources = found.ok ? await createScopeSources(found.repoRoot, base ?? 'HEAD') : null;
  if (sources === null && base !== null) {
    const message = found.ok ? `"${base}" names no commit` : `${startDir} is not inside a git repository`;
    const help = found.ok
      ? 'name a branch, a tag or a commit'
      : 'name one with --repo DIR, or leave --base out';
    return { ok: false, document: null, obstacle: { message, help } };
  }
  return { ok: true, value: { sources, programs } };
}
