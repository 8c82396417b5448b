import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { detectValidators } from '../../src/adapters/project/detect-validators.ts';

async function folderWith(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'conductor-detect-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return folder;
}

async function commandsIn(folder: string): Promise<string[]> {
  return (await detectValidators(folder)).map(({ name, command }) => `${name}: ${command.join(' ')}`);
}

const MEMBER = '{"scripts":{"test":"x"}}';

it.each([
  [
    'a pattern of a package',
    { 'package.json': '{"workspaces":["./packages/*"]}', 'packages/a/package.json': MEMBER },
  ],
  [
    'a folder of a package',
    { 'package.json': '{"workspaces":{"packages":["tools/cli/"]}}', 'tools/cli/package.json': MEMBER },
  ],
])('looks into the members of a workspace: %s', async (_name, files) => {
  expect(await commandsIn(await folderWith(files))).toEqual([
    'tests: npm run test --workspaces --if-present',
  ]);
});

it("searches the members of pnpm's workspace", async () => {
  const folder = await folderWith({
    'package.json': '{"packageManager":"pnpm@9.0.0"}',
    'pnpm-workspace.yaml': "packages:\n  - 'packages/*'\n",
    'packages/a/package.json': MEMBER,
  });
  expect(await commandsIn(folder)).toEqual(['tests: pnpm --recursive --if-present run test']);
});

it.each(['test_sum.py', 'tests/test_sum.py', 'test/sum_test.py'])(
  'finds Python tests by name: %s',
  async (path) => {
    expect(await commandsIn(await folderWith({ 'sum.py': '', [path]: '' }))).toEqual([
      'tests: python3 -m pytest --junitxml=.tnh/run/tests.xml',
    ]);
  },
);

it('searches no folder outside the repository', async () => {
  const folder = await folderWith({
    'top/package.json': '{"workspaces":["../other","packages/../../*"]}',
    'other/package.json': MEMBER,
  });
  expect(await commandsIn(join(folder, 'top'))).toEqual([]);
});

it('recognizes a lock file by its existence, and ignores what is not a file or too large', async () => {
  const folder = await folderWith({
    'package.json': '{"scripts":{"test":"x"}}',
    'yarn.lock': 'x'.repeat(2_000_000),
    Makefile: `lint:\n${'#'.repeat(2_000_000)}`,
    'justfile/typecheck': '',
  });
  await symlink('nowhere', join(folder, 'pyproject.toml'));
  expect(await commandsIn(folder)).toEqual(['tests: yarn test']);
});

it('finds nothing where there is no folder', async () => {
  expect(await commandsIn(join(tmpdir(), 'conductor-no-such-folder'))).toEqual([]);
});
