import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { PolicyDocument } from '../../contracts/policy.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { readBounded } from './bounded-file.ts';

export interface PolicyFiles {
  /** All documents that a reference stands for; each of them applies. */
  readonly byRef: ReadonlyMap<string, readonly PolicyDocument[]>;
  readonly broken: readonly { readonly path: string; readonly message: string }[];
}

/** The references of the policy files in some folders, by their names alone. */
export async function listPolicies(folders: readonly string[]): Promise<ReadonlySet<string>> {
  const refs = new Set<string>();
  for (const { name } of await policyFiles(folders)) refs.add(name.replace(/\.yaml$/, ''));
  return refs;
}

/** What is wrong with the files that are no policies, by the references in their names. The last folder is built in. */
export async function brokenPolicies(folders: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const files = await policyFiles(folders);
  // What reads policies takes longer to load than most checks take, and most projects have none of their own.
  if (files.every(({ path }) => dirname(path) === folders.at(-1))) return new Map();
  const { broken } = await readPolicies(folders);
  return new Map(broken.map(({ path, message }) => [basename(path, '.yaml'), message]));
}

/**
 * Reads policy folders: the repository's, the user's, the built-in one. A file must be named as it is referred to. The user's file
 * replaces the built-in one of its name. The repository's file is added to the one it shares its name with: a repository can tighten
 * a policy and can't replace it. A file that can't be read hides those of its name farther away, which may ask for less.
 */
export async function readPolicies(folders: readonly string[]): Promise<PolicyFiles> {
  const { checkPolicy } = await import('../../workflow/policy-document.ts');
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

/** The first thing that is wrong, for a line that names the file. */
export function placedMessage([first]: readonly Diagnostic[]): string {
  if (first === undefined) return 'it is not a policy';
  const { line, column } = first.span;
  return `${line}:${column}: ${first.message}${first.help === null ? '' : `; ${first.help}`}`;
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
