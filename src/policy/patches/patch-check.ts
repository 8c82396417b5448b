import { leavesRoot } from '../../text/paths.ts';
import type { EffectivePolicy } from '../assemble.ts';
import { checkFiles } from '../changes.ts';
import type { PolicyViolation } from '../violation.ts';
import type { ParsedPatch, PatchLink } from './patch.ts';

/** Checks a patch against a policy. Unlike the diff of a step, a patch can name paths outside the checkout. */
export function checkPatch(
  policy: EffectivePolicy,
  { changes, links }: Pick<Extract<ParsedPatch, { ok: true }>, 'changes' | 'links'>,
): PolicyViolation[] {
  const outsidePaths = changes
    .flatMap(({ path, oldPath }) => [path, ...(oldPath === null ? [] : [oldPath])])
    .filter(leavesRoot)
    .map((path) => outside(path, `${path} is outside the workspace`));
  return [...outsidePaths, ...links.flatMap(checkLink), ...checkFiles(policy, changes)];
}

function outside(subject: string, message: string): PolicyViolation {
  return { class: 'outside_workspace', subject, message };
}

/** A link is resolved relative to its own folder. */
function checkLink({ path, target }: PatchLink): PolicyViolation[] {
  const parts = path.split('/').slice(0, -1);
  for (const part of target.split('/')) {
    if (target.startsWith('/') || (part === '..' && parts.length === 0))
      return [outside(path, `the link ${path} leads out of the workspace to ${target}`)];
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  if (parts[0]?.toLowerCase() !== '.git') return [];
  return [{ class: 'forbidden_path', subject: path, message: `the link ${path} leads to ${target}` }];
}
