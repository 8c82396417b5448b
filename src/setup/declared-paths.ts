import { asList, asObject, parseJsonObject } from '../text/json.ts';

/** A dependency that a manifest or lock file declares by path, as written: relative, absolute, or `file:`. */
export interface DeclaredPath {
  readonly path: string;
  readonly packageName: string | null;
}

type Reader = (text: string) => DeclaredPath[];

const READERS: readonly (readonly [RegExp, Reader])[] = [
  [/^package\.json$/, readPackageJson],
  [/^(?:package-lock|npm-shrinkwrap|\.package-lock)\.json$/, readPackageLock],
  [/^go\.(?:mod|work)$/, readGoFile],
  [/^Cargo\.toml$/, readTomlPaths],
  [/^pyproject\.toml$|^Pipfile$/, readPyproject],
  [/^(?:uv|poetry|pdm)\.lock$/, readPythonLock],
  [/^requirements[\w.-]*\.(?:txt|in)$/, readRequirements],
  [/^Gemfile\.lock$/, readGemfileLock],
  [/^composer\.json$/, readComposer],
];

/** Whether a file of this name can declare paths. */
export function isManifest(name: string): boolean {
  return READERS.some(([pattern]) => pattern.test(name));
}

export function readDeclaredPaths(name: string, text: string): readonly DeclaredPath[] {
  return READERS.find(([pattern]) => pattern.test(name))?.[1](text) ?? [];
}

/** `.cargo/config.toml`, also in folders above the checkout: its `paths` replace packages. */
export function readCargoConfig(text: string): readonly DeclaredPath[] {
  const [, list = ''] = /^\s*paths\s*=\s*\[([^\]]*)\]/m.exec(text) ?? [];
  return [...toUnnamedPaths([...list.matchAll(/["']([^"']+)["']/g)]), ...readTomlPaths(text)];
}

/** The name that a manifest gives the package of its folder. */
export function packageNameIn(name: string, text: string): string | null {
  if (name === 'package.json') {
    const { name: own } = parseJsonObject(text) ?? {};
    return typeof own === 'string' ? own : null;
  }
  if (name === 'go.mod') return /^\s*module\s+"?([^\s"]+)/m.exec(text)?.[1] ?? null;
  if (name !== 'pyproject.toml') return null;
  const tables = text.split(/^(?=\s*\[)/m).filter((table) => /^\s*\[(?:project|tool\.poetry)\]/.test(table));
  return tables.map((table) => /^\s*name\s*=\s*["']([^"']+)["']/m.exec(table)?.[1]).find(Boolean) ?? null;
}

const DEPENDENCY_KEYS = [
  'dependencies',
  'devDependencies',
  'optionalDependencies',
  'peerDependencies',
  'resolutions',
  'overrides',
];

function readPackageJson(text: string): DeclaredPath[] {
  const manifest = parseJsonObject(text) ?? {};
  const tables = [...DEPENDENCY_KEYS.map((key) => manifest[key]), asObject(manifest.pnpm).overrides];
  return tables
    .flatMap((table) => Object.entries(asObject(table)))
    .flatMap(([name, value]) => readSpec(name, value));
}

/** Overrides nest: `{ "a": { "b": "file:../b" } }`. */
function readSpec(name: string, value: unknown): DeclaredPath[] {
  if (typeof value === 'object')
    return Object.entries(asObject(value)).flatMap(([key, each]) => readSpec(key, each));
  const spec = typeof value === 'string' ? value : '';
  const [, path] =
    /^(?:file|link|portal):(.+)$/.exec(spec) ?? /^(\.{0,2}\/.*|\.{1,2}|~\/.*)$/.exec(spec) ?? [];
  return path === undefined ? [] : [{ path: withoutQuery(path), packageName: name }];
}

/** yarn writes `portal:../x::locator=…` and `file:../x#…` into its specs. */
function withoutQuery(path: string): string {
  return path.replace(/(?:::|#).*$/, '');
}

function readPackageLock(text: string): DeclaredPath[] {
  return Object.entries(asObject(parseJsonObject(text)?.packages)).flatMap(([key, value]) => {
    const { link, resolved } = asObject(value);
    if (link !== true || typeof resolved !== 'string') return [];
    const packageName = key.slice(key.lastIndexOf('node_modules/') + 'node_modules/'.length);
    return [{ path: resolved.replace(/^file:/, ''), packageName }];
  });
}

/** `replace a => ../b` and `use ./c`, alone or in a block. A target with a version is a module, not a path. */
function readGoFile(text: string): DeclaredPath[] {
  const lines = text.replace(/\/\/.*$/gm, '');
  const replaced = [
    ...lines.matchAll(/^\s*(?:replace\s+)?(\S+)(?:\s+v\S+)?\s*=>\s*"?(\.{0,2}\/[^\s"]*|\.{1,2})"?\s*$/gm),
  ];
  const uses = [...lines.matchAll(/^\s*use\s+(?:\(([^)]*)\)|(\S+))/gm)]
    .flatMap(([, block, single]) => (block ?? single ?? '').split(/\s+/))
    .filter((path) => path !== '')
    .map((path) => ({ path: path.replaceAll('"', ''), packageName: null }));
  return [...replaced.map(([, name = '', path = '']) => ({ path, packageName: name })), ...uses];
}

/** Also finds paths of targets, such as `path = "src/main.rs"`; these are inside the checkout and do no harm. */
function readTomlPaths(text: string): DeclaredPath[] {
  return toUnnamedPaths([...withoutComments(text).matchAll(/\bpath\s*=\s*["']([^"'\n]+)["']/g)]);
}

function readPyproject(text: string): DeclaredPath[] {
  return [...readTomlPaths(text), ...readFileUrls(withoutComments(text))];
}

function readPythonLock(text: string): DeclaredPath[] {
  return toUnnamedPaths([
    ...text.matchAll(/\b(?:editable|directory|virtual|path)\s*=\s*["']([^"'\n]+)["']/g),
    ...text.matchAll(/^type\s*=\s*"directory"\s*\nurl\s*=\s*"([^"\n]+)"/gm),
  ]);
}

function readRequirements(text: string): DeclaredPath[] {
  const lines = text.replace(/(?:^|\s)#.*$/gm, '');
  const option = String.raw`(?:-e|--editable)[=\s]\s*`;
  return [
    ...toUnnamedPaths([
      ...lines.matchAll(new RegExp(String.raw`^\s*${option}(\.{0,2}/\S*|\.{1,2})`, 'gm')),
      ...lines.matchAll(/^\s*(\.{1,2}\/\S*|\/\S+)\s*$/gm),
    ]).map(({ path }) => ({ path: path.replace(/\[[^\]]*\]$/, ''), packageName: null })),
    ...readFileUrls(lines),
  ];
}

/** `name @ file:///srv/name`, and `-e file:///srv/name` */
function readFileUrls(text: string): DeclaredPath[] {
  return [...text.matchAll(/(?:([\w.-]+)\s*(?:\[[^\]]*\])?\s*@\s*)?\b(file:\/\/\/[^\s"';#]+)/g)].map(
    ([, name, path = '']) => ({ path, packageName: name ?? null }),
  );
}

function readGemfileLock(text: string): DeclaredPath[] {
  return toUnnamedPaths([...text.matchAll(/^PATH\n\s+remote:\s*(\S.*)$/gm)]);
}

function readComposer(text: string): DeclaredPath[] {
  const { repositories } = parseJsonObject(text) ?? {};
  // A list, or an object with names as keys.
  const values = Array.isArray(repositories) ? asList(repositories) : Object.values(asObject(repositories));
  return values.flatMap((value) => {
    const { type, url } = asObject(value);
    // For a glob, check the folder before its first wildcard.
    return type === 'path' && typeof url === 'string'
      ? [{ path: url.replace(/\/?[^/]*[*?[].*$/, '') || '.', packageName: null }]
      : [];
  });
}

function toUnnamedPaths(found: readonly RegExpMatchArray[]): DeclaredPath[] {
  return found.flatMap(([, path]) => (path === undefined ? [] : [{ path, packageName: null }]));
}

/** Without the lines of TOML and YAML that are comments. */
export function withoutComments(text: string): string {
  return text.replace(/^\s*#.*$/gm, '');
}
