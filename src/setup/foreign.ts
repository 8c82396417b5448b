import { folderOf, isPathInside } from '../text/paths.ts';

/**
 * The rule for foreign dependencies. A checkout must be tested with its own files: if a dependency resolves to another
 * checkout, tests run code that the agent never changed, and pass. A dependency outside its checkout is foreign if it
 * resolves to another checkout, or to another copy of a package that the checkout defines itself, or, if a file of the
 * checkout itself names the path, to a folder beside the checkout or to a missing path. Any other place outside, such
 * as a system folder or the store of a package manager, belongs to no checkout and is fine.
 */
export interface CheckoutPlace {
  /** Absolute and without symbolic links, like `others`. */
  readonly checkout: string;
  /** The user's checkout, the other checkout of the run, the folder of all workspaces. They may contain `checkout`. */
  readonly others: readonly string[];
  /** Names of the packages that the checkout defines. */
  readonly ownPackages: ReadonlySet<string>;
}

/** One dependency that resolves to a path. */
export interface Dependency {
  /** The file or link that declares the dependency: relative to the checkout, or absolute outside it. */
  readonly source: string;
  /** The resolved path: absolute, with symbolic links resolved as far as it exists. */
  readonly target: string;
  readonly exists: boolean;
  /** The package that it provides, if known. */
  readonly packageName: string | null;
  /** Whether the checkout itself depends on this path. False for manifests deep inside, such as test fixtures. */
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

/** Normalises the name of a Python package (PEP 503). */
export function pythonName(name: string): string {
  return name.toLowerCase().replace(/[-_.]+/g, '-');
}
