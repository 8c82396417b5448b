/** The folders that decide from values alone. */
const PURE_FOLDERS = [
  'agents',
  'kernel',
  'overview',
  'workflow',
  'diagnostics',
  'forge',
  'notify',
  'contracts',
  'planner',
  'policy',
  'work',
  'reports',
  'setup',
  'telemetry',
  'text',
  'trust',
];

const PURE_PACKAGES = ['zod', 'zod/mini', 'yaml', 'picomatch', 'picomatch/posix.js'];

/** A package that one pure folder alone has a use for. */
const PACKAGES_OF_FOLDER: Readonly<Record<string, readonly string[]>> = {
  policy: ['re2js'],
  reports: ['saxes'],
  work: ['mdast-util-from-markdown'],
};

export type Layer =
  | { readonly kind: 'pure' | 'adapter'; readonly folder: string }
  | {
      readonly kind:
        | 'ports'
        | 'runtime'
        | 'app'
        | 'node'
        | 'simulation'
        | 'harness'
        | 'surfaces'
        | 'main'
        | 'index'
        | 'wiring'
        | 'package-root'
        | 'testing'
        | 'web'
        | 'outside'
        | 'unknown';
    };

const ROOT_FILES: Readonly<Record<string, Layer>> = {
  'main.ts': { kind: 'main' },
  'index.ts': { kind: 'index' },
  'wiring.ts': { kind: 'wiring' },
  'package-root.ts': { kind: 'package-root' },
};

export function layerOf(path: string): Layer {
  const [top, folder = '', inner = '', ...rest] = path.split('/');
  if (top === 'testing' || top === 'harness' || top === 'web') return { kind: top };
  if (top !== 'src') return { kind: 'outside' };
  if (inner === '') return ROOT_FILES[folder] ?? { kind: 'unknown' };
  if (PURE_FOLDERS.includes(folder)) return { kind: 'pure', folder };
  switch (folder) {
    case 'ports':
    case 'runtime':
    case 'app':
    case 'node':
    case 'simulation':
    case 'surfaces':
    case 'wiring':
      return { kind: folder };
    case 'adapters':
      return rest.length === 0 ? { kind: 'unknown' } : { kind: 'adapter', folder: inner };
    default:
      return { kind: 'unknown' };
  }
}

/** How `from` may name `to`: not at all, for its types, or in full. */
export function permission(from: Layer, to: Layer): 'no' | 'types' | 'all' {
  if (to.kind === 'unknown' || to.kind === 'outside') return 'no';
  switch (from.kind) {
    case 'pure':
      return to.kind === 'pure' ? 'all' : 'no';
    case 'ports':
      return to.kind === 'pure' || to.kind === 'ports' ? 'types' : 'no';
    case 'runtime':
      return isInner(to) || to.kind === 'node' ? 'all' : 'no';
    case 'app':
      return isInner(to) || to.kind === 'app' ? 'all' : 'no';
    case 'node':
      return to.kind === 'pure' || to.kind === 'node' ? 'all' : 'no';
    case 'simulation':
      return isInner(to) || ['app', 'node', 'simulation'].includes(to.kind) ? 'all' : 'no';
    case 'harness':
      return to.kind === 'pure' || to.kind === 'harness' ? 'all' : 'no';
    case 'adapter':
      if (to.kind === 'adapter') return to.folder === from.folder ? 'all' : 'no';
      return ['pure', 'ports', 'node'].includes(to.kind) ? 'all' : 'no';
    case 'surfaces':
      if (to.kind === 'ports') return 'types';
      if (to.kind === 'app' || to.kind === 'simulation' || to.kind === 'harness') return 'all';
      return to.kind === 'pure' || to.kind === 'runtime' || to.kind === 'surfaces' ? 'all' : 'no';
    case 'main':
      return to.kind === 'main' || to.kind === 'testing' ? 'no' : 'all';
    case 'index':
    case 'wiring':
      return to.kind === 'surfaces' || to.kind === 'main' || to.kind === 'testing' || to.kind === 'index'
        ? 'no'
        : 'all';
    case 'testing':
      return to.kind === 'main' ? 'no' : 'all';
    case 'web':
      if (to.kind === 'pure') return to.folder === 'contracts' ? 'types' : 'no';
      return to.kind === 'web' ? 'all' : 'no';
    case 'package-root':
    case 'outside':
    case 'unknown':
      return 'no';
  }
}

/** What the use cases are built from. */
function isInner(layer: Layer): boolean {
  return layer.kind === 'pure' || layer.kind === 'ports' || layer.kind === 'runtime';
}

/** Use cases compute paths; everything else from outside reaches them through their arguments. */
const APP_PACKAGES = ['node:path', 'node:path/posix'];

/** What the page is made of; everything here is part of what a phone downloads. `zod` gives types alone. */
const WEB_PACKAGES =
  /^(?:preact(?:\/hooks)?|@tanstack\/virtual-core|lowlight|highlight\.js(?:\/lib\/languages\/\w+)?|zod)$/;

/** Whether a layer may use what is not ours. */
export function mayUsePackage(from: Layer, specifier: string): boolean {
  if (from.kind === 'ports') return false;
  if (from.kind === 'app') return APP_PACKAGES.includes(specifier);
  if (from.kind === 'web') return WEB_PACKAGES.test(specifier);
  if (from.kind !== 'pure') return true;
  return PURE_PACKAGES.includes(specifier) || PACKAGES_OF_FOLDER[from.folder]?.includes(specifier) === true;
}
