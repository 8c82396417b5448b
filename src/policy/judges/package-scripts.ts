import { ownValue } from '../../contracts/own-value.ts';
import { isJsonObject, parseJsonObject } from '../../text/json.ts';
import {
  commandsOfLine,
  type Lead,
  type Part,
  partOf,
  pathIn,
  readOptions,
  type Started,
  type Trail,
} from './command-part.ts';
import { lockedPackages } from './locked-packages.ts';

/** What `npm test` and similar commands run: scripts of a package.json, and the keys that checks read. */

/** Keys of a package.json that configure a check or how scripts run. */
const CHECK_KEYS = [
  'jest',
  'vitest',
  'mocha',
  'ava',
  'tap',
  'nyc',
  'c8',
  'jasmine',
  'babel',
  'playwright',
  'cypress',
  'wireit',
  'config',
  'packageManager',
] as const;

/** Keys that only one linter reads. */
const LINTER_KEYS: Readonly<Record<string, readonly string[]>> = {
  eslint: ['eslintConfig', 'eslintIgnore'],
  'react-scripts': ['eslintConfig'],
  prettier: ['prettier'],
  stylelint: ['stylelint'],
  standard: ['standard'],
  xo: ['xo'],
};

/** A value inside a JSON file, by its keys. */
export function jsonPart(path: string, keys: readonly string[]): Part {
  return partOf([path], keys.join('.'), (text) => {
    let value: unknown = parseJsonObject(text) ?? text;
    for (const key of keys) value = isJsonObject(value) ? ownValue(value, key) : undefined;
    return parseJsonObject(text) === null ? text : (JSON.stringify(value) ?? null);
  });
}

export function scriptsIn(text: string | null, key = 'scripts'): ReadonlyMap<string, string> {
  const scripts = ownValue(parseJsonObject(text) ?? {}, key);
  if (!isJsonObject(scripts)) return new Map();
  return new Map(
    Object.entries(scripts).flatMap(([name, line]) => {
      const lines = Array.isArray(line) ? line : [line];
      return [[name, lines.filter((each) => typeof each === 'string').join('\n')] as const];
    }),
  );
}

const VALUE_OPTIONS = [
  '-w',
  '--workspace',
  '--prefix',
  '-C',
  '--dir',
  '--cwd',
  '-F',
  '--filter',
  '--scope',
  '--loglevel',
  '--script-shell',
  '--reporter',
];

/** Verbs that Bun handles itself, regardless of the scripts. */
const BUN_VERBS = new Set(['test', 'build', 'install', 'add', 'remove', 'x', 'pm', 'create', 'init']);

export function followManager(program: string, args: readonly string[], folder: string, trail: Trail): Lead {
  const { values, flags, operands } = readOptions(args, VALUE_OPTIONS);
  const place = ['--prefix', '-C', '--dir', '--cwd'].map((name) => values.get(name)).find(isGiven);
  const home = place === undefined ? folder : pathIn(folder, place);
  const names = ['-w', '--workspace', '-F', '--filter', '--scope'].map((name) => values.get(name));
  if (home !== null && isInstall(program, operands[0])) return followInstall(home);
  const { script, member, everywhere } = readVerb(program, operands);
  if (script === null || home === null) return {};
  // Package managers other than npm start a program of a package if there is no such script.
  const bare = program === 'npm' ? [] : args.slice(args.indexOf(script));
  const everyMember =
    everywhere || ['-ws', '--workspaces', '-r', '--recursive'].some((flag) => flags.has(flag));
  const workspace = member ?? names.find(isGiven) ?? null;
  const folders = everyMember
    ? [home, ...changedMembers(trail)]
    : workspace === null
      ? [home]
      : findMembers(workspace, home, trail);
  return joinLeads([
    ...folders.map((each) => followScript(each, script, trail)),
    { next: bare.length === 0 ? [] : [{ words: bare, folder: home }] },
  ]);
}

const INSTALL = new Set(['ci', 'install', 'i', 'clean-install', 'add']);

function isInstall(program: string, verb: string | undefined): boolean {
  return verb === undefined ? program === 'yarn' : INSTALL.has(verb);
}

/** Scripts that an installation also runs: the package's own scripts can replace what was installed. */
function followInstall(folder: string): Lead {
  const path = folder === '' ? 'package.json' : `${folder}/package.json`;
  const scripts = ['preinstall', 'install', 'postinstall', 'preprepare', 'prepare', 'postprepare'];
  return { parts: [...scripts.map((name) => jsonPart(path, ['scripts', name])), jsonPart(path, ['pnpm'])] };
}

function isGiven(value: string | undefined): value is string {
  return value !== undefined && value !== '';
}

interface Verb {
  readonly script: string | null;
  readonly member: string | null;
  readonly everywhere: boolean;
}

const RUN = new Set(['run', 'run-script', 'rum', 'urn']);
const TEST = new Set(['test', 't', 'tst']);

function readVerb(program: string, operands: readonly string[]): Verb {
  const [verb = '', ...rest] = operands;
  if (program === 'yarn' && verb === 'workspace')
    return { ...readVerb(program, rest.slice(1)), member: rest[0] ?? null };
  if (verb === 'workspaces') {
    const at = rest.indexOf('run');
    return { script: rest[at < 0 ? 0 : at + 1] ?? null, member: null, everywhere: true };
  }
  const own = { member: null, everywhere: false };
  if (RUN.has(verb)) return { ...own, script: rest[0] ?? null };
  if (program === 'bun' && BUN_VERBS.has(verb)) return { ...own, script: null };
  if (TEST.has(verb)) return { ...own, script: 'test' };
  // npm runs other scripts only with `run`.
  if (program === 'npm' && !['start', 'stop', 'restart'].includes(verb)) return { ...own, script: null };
  return { ...own, script: verb === '' ? null : verb };
}

/** Folders of the package.json files that the change touches: scripts can't differ in any other. */
function changedMembers({ changed }: Trail): string[] {
  return changed.flatMap((path) => /^(.+)\/package\.json$/.exec(path)?.[1] ?? []);
}

/** A member is named by its folder or by its package name. */
function findMembers(name: string, home: string, trail: Trail): string[] {
  const bare = name.replace(/^\{|\}$|\.\.\.$/g, '');
  const byName = changedMembers(trail).filter((folder) => {
    const manifest = parseJsonObject(trail.read(`${folder}/package.json`));
    return manifest !== null && (manifest.name === bare || bare.includes('*'));
  });
  const byFolder = pathIn(home, bare);
  return [...(byFolder === null || bare.startsWith('@') ? [] : [byFolder]), ...byName];
}

/** A script with its `pre` and `post` scripts, and the package.json keys that checks read. */
export function followScript(folder: string, script: string, trail: Trail): Lead {
  const path = folder === '' ? 'package.json' : `${folder}/package.json`;
  const names = [`pre${script}`, script, `post${script}`];
  const scripts = scriptsIn(trail.read(path));
  return {
    parts: [...names.map((name) => jsonPart(path, ['scripts', name])), ...checkKeys(folder)],
    next: names.flatMap((name) => commandsOfLine(scripts.get(name) ?? '', folder)),
  };
}

function checkKeys(folder: string): Part[] {
  const path = folder === '' ? 'package.json' : `${folder}/package.json`;
  return CHECK_KEYS.map((key) => jsonPart(path, [key]));
}

/** What the program of a package depends on: keys of the package.json, and the installed versions. */
export function packageProgram(folder: string, program: string): Part[] {
  const path = folder === '' ? 'package.json' : `${folder}/package.json`;
  const own = (ownValue(LINTER_KEYS, program) ?? []).map((key) => jsonPart(path, [key]));
  return [...checkKeys(folder), ...own, ...versionKeys(folder, program)];
}

/** The package.json keys that decide which package a program comes from. */
const VERSION_KEYS = ['dependencies', 'devDependencies', 'overrides', 'resolutions'];

function versionKeys(folder: string, program: string): Part[] {
  const path = folder === '' ? 'package.json' : `${folder}/package.json`;
  const folders = [...new Set([folder, ''])];
  return [
    ...VERSION_KEYS.map((key) => jsonPart(path, [key, program])),
    ...folders.flatMap((each) => lockedPackages(each, program)),
  ];
}

/** `run-s lint test:*`, `npm-run-all a b`: each word is a script or a pattern of scripts. */
export function followScriptPatterns(args: readonly string[], folder: string, trail: Trail): Lead {
  const patterns = args.filter((word) => !word.startsWith('-')).map((word) => word.split(' ')[0] ?? '');
  return joinLeads(patterns.flatMap((pattern) => followPattern(pattern, folder, trail)));
}

/** `concurrently "npm:test:*" "tsc --noEmit"`. */
export function followConcurrently(args: readonly string[], folder: string, trail: Trail): Lead {
  return joinLeads(
    args
      .filter((word) => !word.startsWith('-'))
      .flatMap((word): Lead[] => {
        const script = /^(?:npm|pnpm|yarn|bun|node):(\S+)/.exec(word)?.[1];
        if (script !== undefined) return followPattern(script, folder, trail);
        return [{ next: commandsOfLine(word, folder) }];
      }),
  );
}

function followPattern(pattern: string, folder: string, trail: Trail): Lead[] {
  if (!pattern.includes('*')) return [followScript(folder, pattern, trail)];
  const path = folder === '' ? 'package.json' : `${folder}/package.json`;
  const source = pattern
    .split('*')
    .map((text) => text.replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
    .join('.*');
  const matching = [...scriptsIn(trail.read(path)).keys()].filter((name) =>
    new RegExp(`^${source}$`).test(name),
  );
  return matching.map((name) => followScript(folder, name, trail));
}

export function joinLeads(leads: readonly Lead[]): Lead {
  const next: Started[] = leads.flatMap((lead) => lead.next ?? []);
  return { parts: leads.flatMap((lead) => lead.parts ?? []), next };
}
