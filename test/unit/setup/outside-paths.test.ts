import { describe, expect, it } from 'vitest';
import { findOutsidePaths } from '../../../src/setup/outside-paths.ts';

const npm = (spec: string) => ({ 'package.json': JSON.stringify({ devDependencies: { lib: spec } }) });

describe('findOutsidePaths', () => {
  it.each<[string, Record<string, string>, string[]]>([
    ['a tarball beside the repository', npm('file:../lib-1.0.0.tgz'), ['package.json ../lib-1.0.0.tgz']],
    ['a folder further up', npm('link:../../libs/lib'), ['package.json ../../libs/lib']],
    [
      'a path that leaves and names the parent',
      npm('file:packages/../../lib'),
      ['package.json packages/../../lib'],
    ],
    ['a folder of the repository', npm('file:packages/lib'), []],
    ['a path that returns into the repository', npm('file:packages/../lib'), []],
    ['an absolute path', npm('file:/opt/lib'), []],
    ['a path from the home', npm('file:~/lib'), []],
    ['a version', npm('^1.0.0'), []],
    ['a requirement', { 'requirements.txt': '-e ../lib\nrequests==2.0\n' }, ['requirements.txt ../lib']],
    [
      'a path that manifest and lock file name',
      {
        ...npm('file:../lib'),
        'package-lock.json': JSON.stringify({
          packages: { 'node_modules/lib': { resolved: '../lib', link: true } },
        }),
      },
      ['package.json ../lib'],
    ],
    ['a manifest that is no JSON', { 'package.json': '{' }, []],
    ['no file', {}, []],
  ])('%s', (_case, files, expected) => {
    const found = findOutsidePaths(new Map(Object.entries(files)));
    expect(found.map(({ file, path }) => `${file} ${path}`)).toEqual(expected);
  });
});
