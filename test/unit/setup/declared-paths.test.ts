import { describe, expect, it } from 'vitest';
import {
  isManifest,
  packageNameIn,
  readCargoConfig,
  readDeclaredPaths,
} from '../../../src/setup/declared-paths.ts';

const pathsIn = (name: string, text: string) => readDeclaredPaths(name, text).map(({ path }) => path);

describe('the paths that a manifest names', () => {
  it.each<[string, string, string, string[]]>([
    [
      'file:, link: and portal: dependencies',
      'package.json',
      JSON.stringify({
        dependencies: { a: 'file:../a', b: 'link:./b', c: '^1.0.0', d: 'workspace:*' },
        devDependencies: { e: 'portal:/srv/e', f: '../f', g: '~/g', h: 'github:x/y' },
        overrides: { i: { j: 'file:../j' } },
        resolutions: { k: 'portal:../k::locator=root' },
        pnpm: { overrides: { l: 'link:../l' } },
      }),
      ['../a', './b', '/srv/e', '../f', '~/g', '../k', '../j', '../l'],
    ],
    ['no JSON', 'package.json', '{', []],
    [
      'links of a lock file',
      'package-lock.json',
      JSON.stringify({
        packages: {
          '': {},
          'node_modules/core': { resolved: 'packages/core', link: true },
          'node_modules/out': { resolved: '../out', link: true },
          'node_modules/semver': { resolved: 'https://registry.npmjs.org/semver.tgz' },
        },
      }),
      ['packages/core', '../out'],
    ],
    [
      'replacements in go.mod',
      'go.mod',
      [
        'module example.com/shop',
        'replace example.com/a => ../a',
        'replace (',
        '  example.com/b v1.2.3 => /src/me/b // local',
        '  example.com/c => example.com/d v1.0.0',
        ')',
      ].join('\n'),
      ['../a', '/src/me/b'],
    ],
    ['modules of go.work', 'go.work', 'go 1.22\nuse ./a\nuse (\n\t./b\n\t../c\n)\n', ['./a', './b', '../c']],
    [
      'paths of Cargo.toml',
      'Cargo.toml',
      [
        '[dependencies]',
        'a = { path = "../a", version = "1" }',
        '# b = { path = "../b" }',
        '[dependencies.c]',
        "path = '/srv/c'",
      ].join('\n'),
      ['../a', '/srv/c'],
    ],
    [
      'sources of uv and PEP 508',
      'pyproject.toml',
      [
        '[project]',
        'dependencies = ["x @ file:///srv/x"]',
        '[tool.uv.sources]',
        'lib = { path = "../lib", editable = true }',
      ].join('\n'),
      ['../lib', 'file:///srv/x'],
    ],
    [
      'sources of uv.lock',
      'uv.lock',
      [
        '[[package]]',
        'name = "shop"',
        'source = { editable = "." }',
        '[[package]]',
        'source = { directory = "../lib" }',
      ].join('\n'),
      ['.', '../lib'],
    ],
    [
      'folders of poetry.lock',
      'poetry.lock',
      '[package.source]\ntype = "directory"\nurl = "../lib"\n',
      ['../lib'],
    ],
    [
      'requirements',
      'requirements-dev.txt',
      [
        '-e .',
        '--editable=../lib[test]',
        '-e file:///srv/x#egg=x',
        './vendor/y',
        'requests==2 # ../no',
        'z @ file:///srv/z',
      ].join('\n'),
      ['.', '../lib', './vendor/y', 'file:///srv/x', 'file:///srv/z'],
    ],
    ['gems by path', 'Gemfile.lock', 'PATH\n  remote: ../gem\n  specs:\n    gem (1.0)\n', ['../gem']],
    [
      'packages by path',
      'composer.json',
      JSON.stringify({
        repositories: [
          { type: 'path', url: '../packages/*' },
          { type: 'vcs', url: '../no' },
        ],
      }),
      ['../packages'],
    ],
  ])('are found: %s', (_, name, text, expected) => {
    expect(pathsIn(name, text)).toEqual(expected);
  });

  it('come with the name of the package where the file says it', () => {
    expect(readDeclaredPaths('package.json', '{"dependencies":{"@a/b":"file:../b"}}')).toEqual([
      { path: '../b', packageName: '@a/b' },
    ]);
    expect(readDeclaredPaths('go.mod', 'replace example.com/a => ../a')).toEqual([
      { path: '../a', packageName: 'example.com/a' },
    ]);
  });

  it('are found in the configuration of Cargo', () => {
    const text = 'paths = ["/src/me/a", "../b"]\n[patch.crates-io]\nc = { path = "../c" }\n';
    expect(readCargoConfig(text).map(({ path }) => path)).toEqual(['/src/me/a', '../b', '../c']);
  });
});

it.each([
  ['package.json', true],
  ['requirements.txt', true],
  ['requirements/dev.txt', false],
  ['tsconfig.json', false],
])('%s is a manifest: %s', (name, expected) => {
  expect(isManifest(name)).toBe(expected);
});

it.each([
  ['package.json', '{"name":"@a/b"}', '@a/b'],
  ['package.json', '[]', null],
  ['go.mod', '// x\nmodule example.com/shop\n', 'example.com/shop'],
  ['pyproject.toml', '[tool.x]\nname = "no"\n[project]\nname = "shop"\n', 'shop'],
  ['pyproject.toml', '[tool.poetry]\nname = "shop"\n', 'shop'],
  ['Cargo.toml', '[package]\nname = "shop"', null],
])('%s with %j is the package %s', (name, text, expected) => {
  expect(packageNameIn(name, text)).toBe(expected);
});
