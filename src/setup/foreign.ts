import { folderOf, isPathInside } from '../text/paths.ts';

/**
 * The rule of foreign dependencies. A checkout must be judged by its own files: a dependency that resolves to another
 * checkout lets tests run code that the agent never changed, and pass. So a dependency is foreign if it resolves outside
 * its checkout to another checkout, or to another copy of a package that the checkout defines itself, or, where its path
 * is written in the checkout, to a place beside the checkout or to nothing. Any other place outside, such as a system
 * folder or the store of a package manager, belongs to no checkout and is fine.
 */
export interface CheckoutPlace {
  /** Absolute, without links; so are the others. */
  readonly checkout: string;
  /** The user's checkout, the other checkout of the run, the folder of all workspaces. They may hold `checkout`. */
  readonly others: readonly string[];
  /** Names of the packages that the checkout defines. */
  readonly ownPackages: ReadonlySet<string>;
}

/** One dependency that resolves to a path. */
export interface Dependency {
  /** The file or link that says so: relative to the checkout, or absolute outside it. */
  readonly source: string;
  /** Where it leads: absolute, links resolved as far as it exists. */
  readonly target: string;
  readonly exists: boolean;
  /** The package that it provides, where that is known. */
  readonly packageName: string | null;
  /** Whether the checkout itself depends on this path. Manifests deep inside, such as fixtures of tests, may not count. */
  readonly isRequired: boolean;
}

export interface ForeignDependency {
  readonly source: string;
  readonly target: string;
  readonly reason: string;
}

export function findForeign(
  dependencies: Iterable<Dependency>,
  place: CheckoutPlace,
): readonly ForeignDependency[] {
  const found = new Map<string, ForeignDependency>();
  for (const dependency of dependencies) {
    const reason = foreignReason(dependency, place);
    const { source, target } = dependency;
    if (reason !== null) found.set(`${source}\0${target}`, { source, target, reason });
  }
  return [...found.values()];
}

function foreignReason(
  { target, exists, packageName, isRequired }: Dependency,
  { checkout, others, ownPackages }: CheckoutPlace,
): string | null {
  if (isPathInside(checkout, target) || (!exists && !isRequired)) return null;
  if (others.some((other) => isPathInside(other, target))) return 'it is in another checkout';
  if (packageName !== null && ownPackages.has(packageName))
    return `\`${packageName}\` is a package of this checkout`;
  if (!isRequired) return null;
  if (!exists) return 'it does not exist';
  return isPathInside(folderOf(checkout), target) ? 'it is beside the checkout' : null;
}

/** `node_modules/core → /src/me/shop/packages/core (it is in another checkout)` */
export function describeForeign({ source, target, reason }: ForeignDependency): string {
  return `${source} → ${target} (${reason})`;
}

/** Names that Python takes for the same: PEP 503. */
export function pythonName(name: string): string {
  return name.toLowerCase().replace(/[-_.]+/g, '-');
}
