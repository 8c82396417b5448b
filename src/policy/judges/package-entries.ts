import { isJsonObject, parseJsonObject } from '../../text/json.ts';
import type { Part } from './command-part.ts';

/**
 * The keys of a package.json that decide which file an import resolves to. Tests that load `..`, the package by its
 * name or `#lib` follow them, so redirecting an entry makes the tests load different code. New entries are fine.
 */
export function entryParts(path: string): Part[] {
  const differs =
    (read: (manifest: Manifest) => Entries | null) =>
    (base: string, now: string | null): boolean => {
      const before = read(parseJsonObject(base) ?? {});
      const after = read(parseJsonObject(now) ?? {});
      if (before === null || after === null || parseJsonObject(now) === null) return false;
      return [...before].some(([name, target]) => after.get(name) !== target);
    };
  const hasExports = (manifest: Manifest) => manifest.exports !== undefined;
  return [
    { paths: [path], name: 'main', differs: differs((each) => (hasExports(each) ? null : rootEntry(each))) },
    {
      paths: [path],
      name: 'exports',
      differs: (base, now) => {
        const either = [parseJsonObject(base) ?? {}, parseJsonObject(now) ?? {}].some(hasExports);
        return (
          either && differs((each) => (hasExports(each) ? exportEntries(each) : rootEntry(each)))(base, now)
        );
      },
    },
    { paths: [path], name: 'imports', differs: differs((each) => entriesIn(each.imports)) },
    { paths: [path], name: 'workspaces', differs: losesMember },
  ];
}

type Manifest = Readonly<Record<string, unknown>>;
type Entries = ReadonlyMap<string, string>;

function rootEntry({ main }: Manifest): Entries {
  return new Map([['.', targetText(typeof main === 'string' ? main : 'index.js')]]);
}

function exportEntries({ exports }: Manifest): Entries {
  const hasSubpaths = isJsonObject(exports) && Object.keys(exports).every((key) => key.startsWith('.'));
  return hasSubpaths ? entriesIn(exports) : new Map([['.', targetText(exports)]]);
}

function entriesIn(value: unknown): Entries {
  return new Map(
    isJsonObject(value) ? Object.entries(value).map(([name, target]) => [name, targetText(target)]) : [],
  );
}

/** Conditions that all resolve to one file count as that file; tests don't load types. */
function targetText(target: unknown): string {
  if (typeof target === 'string') return target.replace(/^\.\//, '').replace(/\.js$/, '');
  if (!isJsonObject(target)) return JSON.stringify(target) ?? '';
  const texts = Object.entries(target)
    .filter(([condition]) => !condition.startsWith('types'))
    .map(([condition, value]) => [condition, targetText(value)] as const);
  const [first] = texts;
  const isOne = first !== undefined && texts.every(([, text]) => text === first[1]);
  return isOne ? first[1] : JSON.stringify(texts);
}

function losesMember(base: string, now: string | null): boolean {
  const members = (text: string | null): readonly unknown[] => {
    const workspaces = parseJsonObject(text)?.workspaces;
    const list = isJsonObject(workspaces) ? workspaces.packages : workspaces;
    return Array.isArray(list) ? list : [];
  };
  const before = members(base);
  const after = members(now);
  const isExclusion = (member: unknown) => String(member).startsWith('!');
  return (
    before.some((member) => !after.includes(member)) ||
    after.some((member) => isExclusion(member) && !before.includes(member))
  );
}
