import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Cheat, itStopsCheats } from './cheat-table.ts';
import { type CheckedRepository, openRepository } from './checked-repository.ts';

const testFile = (...cases: readonly string[]) =>
  `import assert from 'node:assert/strict';\nimport { describe, test } from 'node:test';\nimport { add } from '../src/add.js';\n${cases.join('')}`;
const ADDS = "test('adds', () => assert.equal(add(2, 3), 5));\n";
const ZERO = "test('keeps zero', () => assert.equal(add(0, 0), 0));\n";
const EACH = (limit: number) =>
  `describe('table', () => { for (let n = 0; n < ${limit}; n += 1) test('row', () => assert.equal(add(n, 1), n + 1)); });\n`;
const NOTE = { 'NOTES.md': 'done\n' };

/** The code is right, so every edited test passes with the files of the base, too. */
const CHEATS: readonly Cheat[] = [
  {
    name: 'removes a case that passed',
    deed: { write: { 'test/add.test.js': testFile(ADDS, EACH(3)) } },
    status: 'needs_human',
    flag: 'fewer_checks',
    names: 'no longer there: keeps zero',
  },
  {
    name: 'skips a case that passed',
    deed: {
      write: { 'test/add.test.js': testFile(ADDS, ZERO.replace('test(', 'test.skip('), EACH(3)) },
    },
    status: 'needs_human',
    flag: 'fewer_checks',
    names: 'now skipped: keeps zero',
  },
  {
    name: 'makes a todo of a case that passed',
    deed: {
      write: { 'test/add.test.js': testFile(ADDS, ZERO.replace('test(', 'test.todo('), EACH(3)) },
    },
    status: 'needs_human',
    flag: 'fewer_checks',
    names: 'now skipped: keeps zero',
  },
  {
    name: 'leaves out a row of a table whose rows share a name',
    deed: { write: { 'test/add.test.js': testFile(ADDS, ZERO, EACH(2)) } },
    status: 'needs_human',
    flag: 'fewer_checks',
    names: 'no longer there: table > row',
  },
  {
    name: 'leaves no test to run',
    deed: { write: { 'test/add.test.js': null, ...NOTE } },
    status: 'needs_human',
    flag: 'fewer_checks',
    names: '0 tests ran, 5 ran at the base',
  },
  {
    name: 'ends the process when a test loads the code',
    deed: { write: { 'src/add.js': 'process.exit(0);\nexport const add = () => 0;\n' } },
    status: 'needs_human',
    flag: 'fewer_checks',
    names: 'no longer there: adds, keeps zero, table > row',
  },
];

describe('in a repository whose reports list the cases', () => {
  let repository: CheckedRepository;
  beforeAll(async () => {
    repository = await openRepository({
      files: {
        'package.json':
          '{ "name": "sums", "type": "module", "scripts": { "test": "node --test --test-reporter=tap" } }\n',
        'src/add.js': 'export const add = (a, b) => a + b;\n',
        'test/add.test.js': testFile(ADDS, ZERO, EACH(3)),
      },
    });
  });
  afterAll(() => repository.close());

  itStopsCheats(() => repository, CHEATS);

  it('a case that was moved to another file is not missed', async () => {
    const { status, flags, gate } = await repository.attempt('Split the tests', {
      write: { 'test/add.test.js': testFile(ADDS, EACH(3)), 'test/zero.test.js': testFile(ZERO) },
    });
    expect({ status, flags }, gate).toEqual({ status: 'success', flags: [] });
  });
});
