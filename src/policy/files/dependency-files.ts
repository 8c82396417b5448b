import { matchesGlob } from '../globs.ts';

/** Manifests and lock files of the common ecosystems, anywhere in the tree. */
const DEPENDENCY_FILES: readonly string[] = [
  // JavaScript
  'package.json',
  'package-lock.json',
  'npm-shrinkwrap.json',
  'yarn.lock',
  'pnpm-lock.yaml',
  'pnpm-workspace.yaml',
  'bun.lock',
  'bun.lockb',
  'deno.json',
  'deno.jsonc',
  'deno.lock',
  // Python
  'pyproject.toml',
  'poetry.lock',
  'uv.lock',
  'pdm.lock',
  'Pipfile',
  'Pipfile.lock',
  'setup.py',
  'setup.cfg',
  'requirements*.{txt,in,lock}',
  '{base,build,ci,dev,docs,lint,local,prod,test}-requirements.{txt,in}',
  'pylock*.toml',
  'pixi.{toml,lock}',
  'constraints*.txt',
  'environment.{yml,yaml}',
  'conda-lock.yml',
  // Rust, Go, Ruby, PHP
  'Cargo.toml',
  'Cargo.lock',
  'go.mod',
  'go.sum',
  'go.work',
  'go.work.sum',
  'Gemfile',
  'Gemfile.lock',
  'gems.rb',
  'gems.locked',
  '*.gemspec',
  'composer.json',
  'composer.lock',
  // Java and related
  'pom.xml',
  'build.gradle',
  'build.gradle.kts',
  'settings.gradle',
  'settings.gradle.kts',
  '*gradle.lockfile',
  'gradle-wrapper.properties',
  'libs.versions.toml',
  'build.sbt',
  'deps.edn',
  'project.clj',
  // .NET
  '*.{csproj,fsproj,vbproj}',
  'packages.config',
  'packages.lock.json',
  'Directory.Packages.props',
  'paket.dependencies',
  'paket.lock',
  // Others
  'Package.swift',
  'Package.resolved',
  'Podfile',
  'Podfile.lock',
  'pubspec.yaml',
  'pubspec.lock',
  'mix.exs',
  'mix.lock',
  'rebar.config',
  'rebar.lock',
  'stack.yaml',
  'stack.yaml.lock',
  '*.cabal',
  'cabal.project',
  'conanfile.{txt,py}',
  'conan.lock',
  'vcpkg.json',
  'flake.nix',
  'flake.lock',
  'MODULE.bazel',
  'MODULE.bazel.lock',
];

/** Python projects keep several requirement lists in a folder of that name. */
const LISTED_BY_FOLDER = /(?:^|\/)requirements\/[^/]+\.(?:txt|in)$/;

export function isDependencyFile(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return DEPENDENCY_FILES.some((glob) => matchesGlob(glob, name)) || LISTED_BY_FOLDER.test(path);
}
