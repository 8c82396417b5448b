import { basename, dirname, join } from 'node:path';

/**
 * Folders of a home that contain programs: what is on the PATH has to work. None of them contains credentials. Of
 * folders that mix both, such as `.cargo` and `.local`, only the subfolders with programs are listed.
 */
const TOOLCHAINS = [
  '.asdf',
  '.bun/bin',
  '.cargo/bin',
  '.deno/bin',
  '.dotnet',
  '.fnm',
  '.ghcup',
  '.jenv',
  '.local/bin',
  '.local/lib',
  '.local/pipx',
  '.local/share/claude',
  '.local/share/fnm',
  '.local/share/mise',
  '.local/share/pipx',
  '.local/share/pnpm',
  '.local/share/uv',
  '.nodenv',
  '.nvm',
  '.pyenv',
  '.rbenv',
  '.rustup',
  '.rvm',
  '.sdkman',
  '.volta',
  'go/bin',
];

/** Packages and browsers that were downloaded before: without a network, a process can't get them otherwise. */
const PACKAGE_STORES = [
  '.cache/Cypress',
  '.cache/ms-playwright',
  '.cache/puppeteer',
  '.cargo/git',
  '.cargo/registry',
  '.ivy2/cache',
  '.m2/repository',
  '.nuget/packages',
  'go/pkg/mod',
];

/** The folders of a home that every sandboxed process can read. */
export function listVisibleHome(home: string, hasNetwork: boolean): string[] {
  const names = hasNetwork ? TOOLCHAINS : [...TOOLCHAINS, ...PACKAGE_STORES];
  return names.map((name) => join(home, name));
}

/** The folders of the PATH, and what programs in them need: the `lib` beside a `bin`, the packages around a `.bin`. */
export function listVisiblePath(searchPath: string | undefined): string[] {
  return foldersOf(searchPath).flatMap((folder) => {
    const parent = dirname(folder);
    if (basename(folder) === '.bin' && basename(parent) === 'node_modules') return [parent];
    return basename(folder) === 'bin' ? [folder, join(parent, 'lib'), join(parent, 'libexec')] : [folder];
  });
}

export function foldersOf(searchPath: string | undefined): string[] {
  return (searchPath ?? '').split(':').filter((folder) => folder.startsWith('/'));
}
