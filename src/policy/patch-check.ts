import type { EffectivePolicy } from './assemble.ts';
import { checkFiles } from './changes.ts';
import type { ParsedPatch, PatchLink } from './patch.ts';
import type { Violation } from './violation.ts';

/** Holds a patch against a policy. It can name paths that no worktree holds; a diff after a step never does. */
export function checkPatch(
  policy: EffectivePolicy,
  { changes, links }: Pick<Extract<ParsedPatch, { ok: true }>, 'changes' | 'links'>,
): Violation[] {
  const leaving = changes
    .flatMap(({ path, oldPath }) => [path, ...(oldPath === null ? [] : [oldPath])])
    .filter(leaves)
    .map((path) => outside(path, `${path} is outside the workspace`));
  return [...leaving, ...links.flatMap(checkLink), ...checkFiles(policy, changes)];
}

function outside(subject: string, message: string): Violation {
  return { class: 'outside_workspace', subject, message };
}

function leaves(path: string): boolean {
  return path.startsWith('/') || path.split('/').includes('..');
}

/** A link is followed from the folder that it lies in. */
function checkLink({ path, target }: PatchLink): Violation[] {
  const way = path.split('/').slice(0, -1);
  for (const part of target.split('/')) {
    if (target.startsWith('/') || (part === '..' && way.length === 0))
      return [outside(path, `the link ${path} leads out of the workspace to ${target}`)];
    if (part === '..') way.pop();
    else if (part !== '' && part !== '.') way.push(part);
  }
  if (way[0]?.toLowerCase() !== '.git') return [];
  return [{ class: 'forbidden_path', subject: path, message: `the link ${path} leads to ${target}` }];
}
