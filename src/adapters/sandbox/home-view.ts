import { basename, dirname, join } from 'node:path';

/**
 * Folders of a home that hold programs. What is on the PATH has to work; none of these holds a login. Folders that mix
 * both, such as `.cargo` and `.local`, are taken apart.
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

/** Packages and browsers that were fetched before: without a network there is no other way to them. */
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

/** What of a home is shown, to be read, whoever runs. */
export function shownOfHome(home: string, hasNetwork: boolean): string[] {
  const names = hasNetwork ? TOOLCHAINS : [...TOOLCHAINS, ...PACKAGE_STORES];
  return names.map((name) => join(home, name));
}

/** The folders of the PATH, and what programs in them need: the `lib` beside a `bin`, the packages around a `.bin`. */
export function shownOfPath(searchPath: string | undefined): string[] {
  return foldersOf(searchPath).flatMap((folder) => {
    const around = dirname(folder);
    if (basename(folder) === '.bin' && basename(around) === 'node_modules') return [around];
    return basename(folder) === 'bin' ? [folder, join(around, 'lib'), join(around, 'libexec')] : [folder];
  });
}

export function foldersOf(searchPath: string | undefined): string[] {
  return (searchPath ?? '').split(':').filter((folder) => folder.startsWith('/'));
}
