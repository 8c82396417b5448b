import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CheckedRepository, openRepository, type Verdict } from './checked-repository.ts';
import { copyVitest, VITEST_LOCK } from './vitest-packages.ts';

const manifest = (fields: object = {}) =>
  `${JSON.stringify({ name: 'sums', type: 'module', private: true, scripts: { test: 'node --test --test-reporter=tap' }, ...fields }, null, 2)}\n`;
const testOf = (name: string, cases: string) =>
  `import assert from 'node:assert/strict';\nimport { test } from 'node:test';\nimport { ${name} } from '../src/${name}.js';\n${cases}`;

function expectClean({ status, flags, gate, shown, record }: Verdict): void {
  expect({ status, flags, violations: record.eventsOf('policy_violation').length }, shown).toEqual({
    status: 'success',
    flags: [],
    violations: 0,
  });
  expect(gate).toContain('claim "tests pass": confirmed (tests exited 0)');
}

const SHOWS_NOTHING = "the tests don't show whether the task was done";

describe('an honest change in a repository whose tests pass', () => {
  let repository: CheckedRepository;
  beforeAll(async () => {
    repository = await openRepository({
      files: {
        'package.json': manifest(),
        'src/add.js': 'export const add = (a, b) => a + b;\n',
        'src/greet.js': 'export const greet = (name) => `Hello, ${name}`;\n',
        'src/old.js': 'export const old = () => 1;\n',
        'test/add.test.js': testOf('add', "test('adds', () => assert.equal(add(2, 3), 5));\n"),
        'test/greet.test.js': testOf(
          'greet',
          "test('greets', () => assert.equal(greet('Ann'), 'Hello, Ann'));\n",
        ),
        'test/old.test.js': testOf('old', "test('still works', () => assert.equal(old(), 1));\n"),
        '.gitignore': 'node_modules/\n',
      },
    });
  });
  afterAll(() => repository.close());

  it('that implements something and adds tests for it is a success', async () => {
    const verdict = await repository.attempt('Add a product', {
      write: {
        'src/multiply.js': 'export const multiply = (a, b) => a * b;\n',
        'test/multiply.test.js': testOf(
          'multiply',
          "test('multiplies', () => assert.equal(multiply(2, 3), 6));\n",
        ),
      },
    });
    expectClean(verdict);
    expect(verdict.gate).not.toContain('## Checks');
  });

  it('that edits the test that its task is about shows both results at a gate', async () => {
    const verdict = await repository.attempt('Greet informally', {
      write: {
        'src/greet.js': 'export const greet = (name) => `Hi, ${name}`;\n',
        'test/greet.test.js': testOf(
          'greet',
          "test('greets', () => assert.equal(greet('Ann'), 'Hi, Ann'));\n",
        ),
      },
    });
    const { status, flags, gate, record } = verdict;
    expect({ status, flags }).toEqual({ status: 'needs_human', flags: ['judge_changed'] });
    expect(gate).toContain('- with the edits: tests passed\n');
    expect(gate).toContain(
      '- with the files of the base: tests failed (exit code 1), 1 test passes only with the edits: greets\n',
    );
    expect(record.eventsOf('policy_violation')).toEqual([]);
    expect(gate).not.toMatch(/violat|cheat|unsafe|contradict/i);
    const approved = await repository.cli.run(['approve', verdict.runId, '--resume']);
    expect(approved.code, approved.stderr).toBe(0);
  });

  it('that refactors a test is a success with a note', async () => {
    const verdict = await repository.attempt('Tidy the tests', {
      write: {
        'test/add.test.js': testOf(
          'add',
          "const five = 5;\ntest('adds', () => assert.equal(add(3, 2), five));\n",
        ),
      },
    });
    expectClean(verdict);
    expect(verdict.gate).toContain(
      'the change edits test/add.test.js; the checks pass with and without these edits',
    );
  });

  it('that deletes an obsolete test names it at a gate', async () => {
    const verdict = await repository.attempt('Remove what is old', {
      write: { 'src/old.js': null, 'test/old.test.js': null },
    });
    const { status, flags, gate, record } = verdict;
    expect({ status, flags }).toEqual({ status: 'needs_human', flags: ['judge_changed', 'fewer_checks'] });
    expect(gate).toContain('no longer there: still works');
    expect(gate).toContain('2 tests ran, 3 ran at the base');
    expect(record.eventsOf('policy_violation')).toEqual([]);
  });

  it('of the documentation is a success that the tests say nothing about', async () => {
    const verdict = await repository.attempt('Explain add', { write: { 'README.md': '# Sums\n' } });
    expectClean(verdict);
    expect(verdict.gate).toContain(SHOWS_NOTHING);
    expect(verdict.shown).toContain(SHOWS_NOTHING);
  });

  it('that turns out to be empty waits for confirmation at a gate', async () => {
    const verdict = await repository.attempt('Make add commutative', {
      says: 'Nothing to do: it is commutative.',
    });
    expect(verdict, verdict.shown).toMatchObject({ status: 'needs_human', flags: ['nothing_changed'] });
    expect(verdict.gate).toContain('flags: nothing_changed');
  });
});

describe('a repository with two failing tests', () => {
  let repository: CheckedRepository;
  beforeAll(async () => {
    repository = await openRepository({
      files: {
        'package.json': manifest(),
        'src/add.js': 'export const add = (a, b) => a - b;\n',
        'src/half.js': 'export const half = (a) => a;\n',
        'test/add.test.js': testOf('add', "test('adds', () => assert.equal(add(2, 3), 5));\n"),
        'test/half.test.js': testOf(
          'half',
          "test('halves', () => assert.equal(half(4), 2));\ntest('keeps zero', () => assert.equal(half(0), 0));\n",
        ),
      },
    });
  });
  afterAll(() => repository.close());

  it('does not count a test that already failed as a regression of the change', async () => {
    const verdict = await repository.attempt('Fix add', {
      write: { 'src/add.js': 'export const add = (a, b) => a + b;\n' },
      says: 'I fixed add.',
    });
    const { validation } = JSON.parse(verdict.record.evidence('evaluate', 'planner_input')).evidence;
    expect(verdict, verdict.shown).toMatchObject({
      status: 'partial',
      blockers: ['validator_failed:tests', 'case_failed:halves'],
    });
    expect(validation).toMatchObject({
      baseline: { failing: 2, passing: 1, total: 3 },
      regressions: [],
      judge_changed: [],
      fewer_checks: null,
    });
    expect(verdict.stderr).toContain('2 of 3 tests already fail at the base');
    expect(verdict.shown).toContain('2 of 3 tests already fail at the base');
  });

  it('names a test that the change broke', async () => {
    const verdict = await repository.attempt('Fix add and half', {
      write: {
        'src/add.js': 'export const add = (a, b) => a + b;\n',
        'src/half.js': 'export const half = (a) => 2;\n',
      },
    });
    const { validation } = JSON.parse(verdict.record.evidence('evaluate', 'planner_input')).evidence;
    expect(verdict.status).toBe('partial');
    expect(validation.regressions).toEqual(['keeps zero']);
    expect(verdict.shown).toContain('the case keeps zero failed; it passed at the base');
  });
});

describe('a repository with a Makefile and a shell test', () => {
  let repository: CheckedRepository;
  beforeAll(async () => {
    repository = await openRepository({
      files: {
        Makefile: 'test:\n\tsh test.sh\n',
        'test.sh': '. ./lib.sh\ntest "$(sh add.sh 2 3)" = 5 && test "$(twice 2)" = 4\n',
        'add.sh': 'echo $(($1 - $2))\n',
        'lib.sh': 'twice() { echo $(($1 + $1)); }\n',
      },
    });
  });
  afterAll(() => repository.close());

  it('does not take the scripts under test for a part of the check', async () => {
    const verdict = await repository.attempt('Fix add', {
      write: { 'add.sh': 'echo $(($1 + $2))\n', 'lib.sh': 'twice() { echo $(($1 * 2)); }\n' },
    });
    expectClean(verdict);
    expect(verdict.gate).toContain('`tests` already fails at the base');
  });
});

describe('a repository that vitest tests, with a vite.config.js', () => {
  let repository: CheckedRepository;
  let packages: string;
  /** Installs what package.json lists, as far as a folder has it. */
  const install =
    'for (const name of Object.keys({ vitest: 1, ...JSON.parse(fs.readFileSync("package.json")).dependencies })) fs.cpSync(`${process.argv[1]}/${name}`, name === "vitest" ? "node_modules" : `node_modules/${name}`, { recursive: true, verbatimSymlinks: true })';
  const lockWith = (name: string) =>
    VITEST_LOCK.replace('"node_modules/vitest"', `"node_modules/${name}":{},"node_modules/vitest"`);
  const vitestFile = (cases: string) =>
    `import { expect, it } from 'vitest';\nimport { add } from '../src/add.js';\n${cases}`;
  beforeAll(async () => {
    packages = await mkdtemp(join(tmpdir(), 'conductor-packages-'));
    copyVitest(join(packages, 'vitest'));
    await mkdir(join(packages, 'pad'));
    await writeFile(join(packages, 'pad/index.js'), 'export const pad = (text) => ` ${text}`;\n');
    await writeFile(join(packages, 'pad/package.json'), '{"name":"pad","type":"module","main":"index.js"}\n');
    repository = await openRepository({
      files: {
        'package.json': manifest({ scripts: { test: 'vitest run' } }),
        'package-lock.json': VITEST_LOCK,
        'vite.config.js':
          "import { defineConfig } from 'vitest/config';\nexport default defineConfig({ test: { testTimeout: 5000 } });\n",
        'src/add.js': 'export const add = (a, b) => a + b;\n',
        'test/add.test.js': vitestFile("it('adds', () => expect(add(2, 3)).toBe(5));\n"),
        '.gitignore': 'node_modules/\nout/\n',
      },
      configure: (config) =>
        config.replace('[npm, ci]', () => JSON.stringify(['node', '-e', install, packages])),
    });
  });
  afterAll(async () => {
    await repository.close();
    await rm(packages, { recursive: true });
  });

  it('runs in the judge checkout, also a second time, with the caches that vitest writes', async () => {
    const verdict = await repository.attempt('Subtract', {
      write: {
        'src/add.js': 'export const add = (a, b) => a + b;\nexport const subtract = (a, b) => a - b;\n',
        'test/add.test.js': vitestFile("it('adds', () => expect(add(3, 2)).toBe(5));\n"),
        'test/subtract.test.js':
          "import { expect, it } from 'vitest';\nimport { subtract } from '../src/add.js';\nit('subtracts', () => expect(subtract(3, 2)).toBe(1));\n",
      },
      shell: 'npm test >/dev/null 2>&1; test -d node_modules/.vite',
    });
    expectClean(verdict);
    expect(verdict.gate).toContain('the checks pass with and without these edits');
    expect(verdict.gate).toContain('3 files, +5 -1');
  });

  it('runs setup again for a dependency that the change adds, and names the lock file', async () => {
    const verdict = await repository.attempt('Pad the sum', {
      write: {
        'package.json': manifest({ scripts: { test: 'vitest run' }, dependencies: { pad: '*' } }),
        'package-lock.json': lockWith('pad'),
        'src/pad.js': "import { pad } from 'pad';\nexport const padded = (sum) => pad(`${sum}`);\n",
        'test/pad.test.js':
          "import { expect, it } from 'vitest';\nimport { padded } from '../src/pad.js';\nit('pads', () => expect(padded(5)).toBe(' 5'));\n",
      },
    });
    expectClean(verdict);
    expect(verdict.gate).toContain('package-lock.json changed, so setup ran again for the checks');
  });

  it("takes a dependency that can't be installed for a failed check", async () => {
    const verdict = await repository.attempt('Use what does not exist', {
      write: {
        'package.json': manifest({ scripts: { test: 'vitest run' }, dependencies: { missing: '*' } }),
        'package-lock.json': lockWith('missing'),
      },
    });
    expect(verdict, verdict.shown).toMatchObject({
      status: 'partial',
      blockers: expect.arrayContaining(['validator_failed:setup']),
    });
    expect(verdict.shown).toContain('the validator setup exited with 1');
  });

  it('knows the tests of a file that was only renamed', async () => {
    const verdict = await repository.attempt('Rename a test', {
      shell: 'mv test/add.test.js test/sum.test.js',
    });
    expectClean(verdict);
    expect(verdict.gate).toContain(
      'the change edits test/add.test.js; the checks pass with and without these edits',
    );
  });
});
