/** Files at the top of a repository, by name, with their text. */
export type TopFiles = ReadonlyMap<string, string>;

/** Lock files in order of preference. npm's come last: they are the ones that a migration tends to leave behind. */
export const NODE_LOCKS = [
  'pnpm-lock.yaml',
  'yarn.lock',
  'bun.lock',
  'bun.lockb',
  'package-lock.json',
  'npm-shrinkwrap.json',
] as const;
export const PYTHON_LOCKS = ['uv.lock', 'poetry.lock', 'pdm.lock'] as const;
export const OTHER_LOCKS = ['Gemfile.lock', 'composer.lock'] as const;

/** Requirement files that are installed with pip. */
export const REQUIREMENTS = [
  'requirements.txt',
  'requirements-dev.txt',
  'requirements-test.txt',
  'dev-requirements.txt',
  'test-requirements.txt',
] as const;

export type LockFile =
  | (typeof NODE_LOCKS)[number]
  | (typeof PYTHON_LOCKS)[number]
  | (typeof OTHER_LOCKS)[number]
  | (typeof REQUIREMENTS)[number];

export const LOCK_FILES: readonly LockFile[] = [
  ...NODE_LOCKS,
  ...PYTHON_LOCKS,
  ...OTHER_LOCKS,
  ...REQUIREMENTS,
];

/** All files that determine how dependencies are installed. */
export const TOP_FILES: readonly string[] = [
  ...LOCK_FILES,
  'package.json',
  'pnpm-workspace.yaml',
  '.npmrc',
  '.yarnrc.yml',
  'pyproject.toml',
  'setup.py',
  'setup.cfg',
];

/**
 * Whether a lock file lists at least one package to install. Packages of a workspace count: without setup they aren't
 * linked, and importing them fails.
 */
export function listsDependencies(name: LockFile, text: string): boolean {
  switch (name) {
    case 'package-lock.json':
    case 'npm-shrinkwrap.json':
      return listsNpmPackages(text);
    case 'pnpm-lock.yaml':
      return /^packages:\s*\n+ +\S/m.test(text) || /^\s+version: link:/m.test(text);
    case 'yarn.lock':
      // Each entry ends with its version; Yarn 2 and later also list the project itself.
      return text.split(/\n(?=\S)/).some((entry) => /^\s+version:? /m.test(entry) && !isProjectOfYarn(entry));
    case 'bun.lock':
      return /"packages"\s*:\s*\{\s*"/.test(text);
    case 'bun.lockb':
      return text !== '';
    case 'uv.lock':
      return text
        .split('[[package]]')
        .some(
          (entry) =>
            /^source\s*=\s*\{\s*(?:registry|git|url|path|directory|editable)\b/m.test(entry) &&
            !/^source\s*=\s*\{\s*editable\s*=\s*"\."/m.test(entry),
        );
    case 'poetry.lock':
    case 'pdm.lock':
      return text.includes('[[package]]');
    case 'Gemfile.lock':
      return /^ +specs:\n +\S/m.test(text);
    case 'composer.lock':
      return /"packages(?:-dev)?"\s*:\s*\[\s*\{/.test(text);
    case 'requirements.txt':
    case 'requirements-dev.txt':
    case 'requirements-test.txt':
    case 'dev-requirements.txt':
    case 'test-requirements.txt':
      return text.split('\n').some((line) => /^\s*[A-Za-z]/.test(line));
  }
}

function listsNpmPackages(text: string): boolean {
  try {
    const { packages, dependencies } = JSON.parse(text) as { packages?: object; dependencies?: object };
    if (packages === undefined) return Object.keys(dependencies ?? {}).length > 0;
    return Object.keys(packages).some((path) => path.includes('node_modules/'));
  } catch {
    return false;
  }
}

function isProjectOfYarn(entry: string): boolean {
  return entry.startsWith('__metadata:') || /^"[^"]*@workspace:\."/.test(entry);
}
