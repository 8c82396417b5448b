import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { PolicyDocument } from '../../contracts/documents/policy.ts';
import type { PolicyFiles } from '../../ports/project-files.ts';
import { readBounded } from './bounded-file.ts';

/** The references of the policy files in the folders, taken from the file names alone. */
export async function listPolicies(folders: readonly string[]): Promise<ReadonlySet<string>> {
  const refs = new Set<string>();
  for (const { name } of await policyFiles(folders)) refs.add(name.replace(/\.yaml$/, ''));
  return refs;
}

/**
 * Why files are not valid policies, by the reference in the file name. The last folder is the built-in one.
 */
export async function brokenPolicies(folders: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const files = await policyFiles(folders);
  // The policy parser takes longer to load than most checks take to run, and most projects have no policies
  // of their own.
  if (files.every(({ path }) => dirname(path) === folders.at(-1))) return new Map();
  const { broken } = await readPolicies(folders);
  return new Map(broken.map(({ path, message }) => [basename(path, '.yaml'), message]));
}

/**
 * Reads the policy folders: the repository's, the user's and the built-in one. A file must be named after its
 * reference. The user's file replaces the built-in one of the same name. The repository's file is added to
 * the one of the same name: a repository can tighten a policy, but not replace it. An invalid file hides
 * those of the same name in later folders, which may be less strict.
 */
export async function readPolicies(folders: readonly string[]): Promise<PolicyFiles> {
  const { checkPolicy, placedMessage } = await import('../../workflow/document/policy-document.ts');
  const byRef = new Map<string, PolicyDocument[]>();
  const taken = new Set<string>();
  const broken: { path: string; message: string }[] = [];
  const hidden = new Set<string>();
  for (const { path, name } of await policyFiles(folders)) {
    const ref = name.replace(/\.yaml$/, '');
    const bytes = await readBounded(path).catch((error: unknown) => String(error));
    const { policy, diagnostics } =
      typeof bytes === 'string' ? { policy: null, diagnostics: [] } : checkPolicy({ name, bytes }, ref);
    if (policy === null) {
      broken.push({ path, message: typeof bytes === 'string' ? bytes : placedMessage(diagnostics) });
      hidden.add(name);
    } else if (!taken.has(ref) && !hidden.has(name)) {
      byRef.set(ref, [...(byRef.get(ref) ?? []), policy]);
      if (dirname(path) !== folders[0]) taken.add(ref);
    }
  }
  return { byRef, broken };
}

async function policyFiles(folders: readonly string[]) {
  const files: { path: string; name: string }[] = [];
  for (const folder of folders) {
    const names = await readdir(folder).catch((): string[] => []);
    for (const name of names.sort())
      if (/\.v\d+\.yaml$/.test(name)) files.push({ path: join(folder, name), name });
  }
  return files;
}
