import { join } from 'node:path';
import { namesIn } from './checkout-walk.ts';
import type { Pauses } from './tree.ts';

/** A package in a `node_modules` folder that is a link. */
export interface PackageLink {
  readonly path: string;
  readonly name: string;
}

/** A package in pnpm's virtual store that is a copy of a package in the repository: `core@file+packages+core`. */
export interface InjectedCopy {
  readonly path: string;
  readonly name: string;
}

export interface ModuleLinks {
  readonly links: readonly PackageLink[];
  readonly copies: readonly InjectedCopy[];
}

/** Finds the packages of a `node_modules` folder that are links or copies, including those in pnpm's virtual store. */
export async function findModuleLinks(modules: string, pauses: Pauses): Promise<ModuleLinks> {
  const links = linksOfPackages(modules);
  const copies: InjectedCopy[] = [];
  const store = join(modules, '.pnpm');
  for (const entry of namesIn(store)) {
    if (!entry.isDirectory()) continue;
    const inner =
      entry.name === 'node_modules' ? join(store, entry.name) : join(store, entry.name, 'node_modules');
    links.push(...linksOfPackages(inner));
    const [, name] = /^(.+?)@file\+/.exec(entry.name) ?? [];
    if (name !== undefined)
      copies.push({ path: join(inner, name.replace('+', '/')), name: name.replace('+', '/') });
    if (pauses.isDue()) await pauses.take();
  }
  return { links, copies };
}

function linksOfPackages(modules: string): PackageLink[] {
  return namesIn(modules).flatMap((entry) => {
    const path = join(modules, entry.name);
    if (entry.name.startsWith('@') && entry.isDirectory())
      return namesIn(path)
        .filter((inner) => inner.isSymbolicLink())
        .map((inner) => ({ path: join(path, inner.name), name: `${entry.name}/${inner.name}` }));
    return entry.isSymbolicLink() ? [{ path, name: entry.name }] : [];
  });
}
