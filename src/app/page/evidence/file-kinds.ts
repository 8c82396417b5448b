import { ownValue } from '../../../contracts/own-value.ts';
import { matchesGlob } from '../../../policy/globs.ts';

const GENERATED_NAMES = [
  '**/{package-lock.json,npm-shrinkwrap.json,yarn.lock,pnpm-lock.yaml,bun.lock,bun.lockb,deno.lock}',
  '**/{poetry.lock,uv.lock,pdm.lock,Pipfile.lock,pixi.lock,Cargo.lock,go.sum,go.work.sum,Gemfile.lock,gems.locked}',
  '**/{composer.lock,packages.lock.json,paket.lock,Package.resolved,Podfile.lock,pubspec.lock,mix.lock,rebar.lock}',
  '**/{conan.lock,flake.lock,MODULE.bazel.lock,stack.yaml.lock,gradle.lockfile}',
  '**/*.{min.js,min.css,js.map,css.map,pb.go,pb.cc,pb.h,g.dart,designer.cs,generated.ts,gen.go}',
  '**/*_{pb2,pb2_grpc}.py',
  '**/{dist,build,out,vendor,node_modules,__generated__,generated}/**',
  '**/*.snap',
];

/** What programs write at the top of their files. */
const GENERATED_MARK =
  /@generated\b|\bDO NOT EDIT\b|\b(?:auto-?generated|automatically generated|this file (?:is|was) generated)\b/i;

/** Whether a program wrote the file, by its name or the first lines of its change. */
export function isGenerated(path: string, sample: string): boolean {
  return GENERATED_NAMES.some((glob) => matchesGlob(glob, path)) || GENERATED_MARK.test(sample);
}

const LANGUAGES: Readonly<Record<string, string>> = {
  bash: 'shell',
  c: 'c',
  cc: 'cpp',
  cjs: 'javascript',
  cpp: 'cpp',
  cs: 'csharp',
  css: 'css',
  cts: 'typescript',
  dart: 'dart',
  ex: 'elixir',
  exs: 'elixir',
  fish: 'shell',
  go: 'go',
  h: 'c',
  hpp: 'cpp',
  html: 'html',
  java: 'java',
  js: 'javascript',
  json: 'json',
  jsonc: 'json',
  jsx: 'javascript',
  kt: 'kotlin',
  kts: 'kotlin',
  less: 'css',
  lua: 'lua',
  md: 'markdown',
  mjs: 'javascript',
  mts: 'typescript',
  php: 'php',
  pl: 'perl',
  py: 'python',
  pyi: 'python',
  r: 'r',
  rb: 'ruby',
  rs: 'rust',
  scala: 'scala',
  scss: 'css',
  sh: 'shell',
  sql: 'sql',
  svelte: 'html',
  swift: 'swift',
  toml: 'toml',
  ts: 'typescript',
  tsx: 'typescript',
  vue: 'html',
  xml: 'xml',
  yaml: 'yaml',
  yml: 'yaml',
  zsh: 'shell',
};

const LANGUAGES_BY_NAME: Readonly<Record<string, string>> = {
  dockerfile: 'docker',
  containerfile: 'docker',
  makefile: 'make',
  gnumakefile: 'make',
  justfile: 'make',
  gemfile: 'ruby',
  rakefile: 'ruby',
};

/** The name of the language for syntax colours; null if the name of the file says nothing. */
export function languageOf(path: string): string | null {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  const extension = name.includes('.') ? name.slice(name.lastIndexOf('.') + 1) : '';
  const known = ownValue(LANGUAGES_BY_NAME, name) ?? ownValue(LANGUAGES, extension);
  return known ?? null;
}
