import { execFile, execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { plannerDecisionSchema } from '../../src/contracts/planner/planner-decision.ts';
import { type CheckedRepository, openRepository } from './checked-repository.ts';
import { readRun } from './run-record.ts';
import { placePackage, placeStub } from './runner-stubs.ts';
import { workspacesName } from './scene.ts';
import { copyVitest, VITEST_LOCK } from './vitest-packages.ts';

const execute = promisify(execFile);

/** A project of one kind, in which `add` subtracts and one test says so. */
interface Project {
  readonly kind: string;
  readonly files: Readonly<Record<string, string>>;
  /** The code that the agent writes: changed, and still wrong. */
  readonly wrong: Readonly<Record<string, string>>;
  readonly right: Readonly<Record<string, string>>;
  /** What `init` has to write for the tests. */
  readonly configured: string;
  /** Everything that the prompt has to name: the case, where it is, its message. */
  readonly named: readonly string[];
  /** The first command of the prompt. */
  readonly command: string;
  /** What its output shows as long as the code is wrong. */
  readonly fails: string;
  readonly install?: (folder: string) => void;
}

const lock = (name: string) => VITEST_LOCK.replaceAll('vitest', name);
const script = (test: string, dependency?: string) =>
  JSON.stringify({
    name: 'sums',
    type: 'commonjs',
    scripts: { test },
    ...(dependency === undefined ? {} : { devDependencies: { [dependency]: '*' } }),
  });
const commonJs = (operator: string, note = '') => `exports.add = (a, b) => a ${operator} b;${note}\n`;
const IGNORE = { '.gitignore': 'node_modules/\ntarget/\n__pycache__/\n.pytest_cache/\n' };
const inJs = {
  wrong: { 'src/add.js': commonJs('-', ' // tried') },
  right: { 'src/add.js': commonJs('+') },
};
const shell = (operator: string, note = '') => `#!/bin/sh\necho $(($1 ${operator} $2))${note}\n`;
const inShell = { wrong: { 'add.sh': shell('-', ' # tried') }, right: { 'add.sh': shell('+') } };
const CHECK =
  '#!/bin/sh\necho "checking add"\nresult=$(sh add.sh 2 3)\n[ "$result" = 5 ] || { echo "case adds: wanted 5, got $result" >&2; exit 1; }\n';

const rust = (operator: string, note = '') =>
  `pub fn add(a: i32, b: i32) -> i32 {\n    a ${operator} b${note}\n}\n`;
const RUST_TEST =
  'use sums::add;\n\n#[test]\nfn adds() {\n    assert_eq!(add(2, 3), 5, "two and three");\n}\n';

const PROJECTS: readonly Project[] = [
  {
    kind: 'vitest',
    files: {
      'package.json': script('vitest run', 'vitest'),
      'package-lock.json': lock('vitest'),
      'src/add.js': commonJs('-'),
      'test/add.test.mjs':
        "import { describe, expect, it } from 'vitest';\nimport { add } from '../src/add.js';\ndescribe('add', () => {\n  it('adds (small) numbers', () => expect(add(2, 3)).toBe(5));\n  it('keeps zero', () => expect(add(0, 0)).toBe(0));\n});\n",
    },
    ...inJs,
    configured:
      'command: [npm, test, --, --reporter=default, --reporter=json, --outputFile.json=.tnh/run/tests.json], report: vitest-json:.tnh/run/tests.json',
    named: ['test/add.test.mjs > add > adds (small) numbers', 'test/add.test.mjs:4', 'expected -1 to be 5'],
    command: String.raw`npx vitest run test/add.test.mjs -t 'add adds \(small\) numbers'`,
    fails: 'expected -1 to be 5',
    install: (folder) => copyVitest(join(folder, 'node_modules')),
  },
  {
    kind: 'jest',
    files: {
      'package.json': script('jest', 'jest'),
      'package-lock.json': lock('jest'),
      'src/add.js': commonJs('-'),
      'test/add.test.js': "const { add } = require('../src/add.js');\n",
    },
    ...inJs,
    configured:
      'command: [npm, test, --, --json, --outputFile=.tnh/run/tests.json], report: vitest-json:.tnh/run/tests.json',
    named: ['test/add.test.js > add > adds', 'test/add.test.js:3', 'Expected: 5', 'Received: -1'],
    command: 'npx jest test/add.test.js -t "add adds"',
    fails: 'Received: -1',
    install: (folder) => placePackage('jest', folder),
  },
  {
    kind: 'mocha',
    files: {
      'package.json': script('mocha', 'mocha'),
      'package-lock.json': lock('mocha'),
      'src/add.js': commonJs('-'),
      'test/add.test.js': "const { add } = require('../src/add.js');\n",
    },
    ...inJs,
    configured:
      'command: [npm, test, --, --reporter, xunit, --reporter-options, output=.tnh/run/tests.xml], report: junit:.tnh/run/tests.xml',
    named: ['test/add.test.js > add > adds', 'test/add.test.js:4', '-1 !== 5'],
    command: 'npx mocha test/add.test.js -g "add adds"',
    fails: '-1 !== 5',
    install: (folder) => placePackage('mocha', folder),
  },
  {
    kind: 'node:test',
    files: {
      'package.json': script('node --test test/'),
      'src/add.js': commonJs('-'),
      'test/add.test.js':
        "const { test } = require('node:test');\nconst assert = require('node:assert');\nconst { add } = require('../src/add.js');\ntest('adds', () => assert.equal(add(2, 3), 5, 'two and three'));\ntest('keeps zero', () => assert.equal(add(0, 0), 0));\n",
    },
    ...inJs,
    configured: 'command: [env, NODE_OPTIONS=--test-reporter=tap, npm, test], report: tap:stdout',
    named: ['adds', 'test/add.test.js:4', 'two and three'],
    command: 'node --test --test-name-pattern="adds" test/add.test.js',
    fails: 'two and three',
  },
  {
    kind: 'pytest',
    files: {
      'requirements-dev.txt': 'pytest>=7\n',
      'calc.py': 'def add(a, b):\n    return a - b\n',
      'test_calc.py':
        'from calc import add\n\n\ndef test_adds():\n    assert add(2, 3) == 5\n\n\ndef test_zero():\n    assert add(0, 0) == 0\n',
    },
    wrong: { 'calc.py': 'def add(a, b):\n    return a - b  # tried\n' },
    right: { 'calc.py': 'def add(a, b):\n    return a + b\n' },
    configured: 'pytest, --junitxml=.tnh/run/tests.xml], report: junit:.tnh/run/tests.xml',
    named: ['test_calc.py::test_adds', 'test_calc.py:5', 'assert -1 == 5'],
    command: 'pytest test_calc.py::test_adds',
    fails: 'assert -1 == 5',
  },
  {
    kind: 'go test',
    files: {
      'go.mod': 'module example.com/sums\n\ngo 1.24\n',
      'calc/add.go': 'package calc\n\nfunc Add(a, b int) int { return a - b }\n',
      'calc/add_test.go': 'package calc\n',
    },
    wrong: { 'calc/add.go': 'package calc\n\nfunc Add(a, b int) int { return a - b } // tried\n' },
    right: { 'calc/add.go': 'package calc\n\nfunc Add(a, b int) int { return a + b }\n' },
    configured: 'command: [go, test, -json, ./...], report: go-json:stdout',
    named: ['example.com/sums/calc.TestAdd', 'calc/add_test.go:7', 'Add(2, 3) = -1, want 5'],
    command: `go test example.com/sums/calc -run '^TestAdd$'`,
    fails: 'Add(2, 3) = -1, want 5',
    install: (folder) => placeStub('go', join(folder, 'go')),
  },
  {
    kind: 'cargo',
    files: {
      'Cargo.toml': '[package]\nname = "sums"\nversion = "0.1.0"\nedition = "2021"\n',
      'Cargo.lock': 'version = 3\n\n[[package]]\nname = "sums"\nversion = "0.1.0"\n',
      'src/lib.rs': rust('-'),
      'tests/sums.rs': RUST_TEST,
    },
    wrong: { 'src/lib.rs': rust('-', ' // tried') },
    right: { 'src/lib.rs': rust('+') },
    configured: 'command: [cargo, test] }',
    named: ['test adds ... FAILED', 'tests/sums.rs:5', 'two and three'],
    command: 'cargo test',
    fails: 'two and three',
  },
  {
    kind: 'a Makefile',
    files: {
      Makefile: '.PHONY: test\ntest:\n\t@sh checks/all\n',
      'checks/all': CHECK,
      'add.sh': shell('-'),
    },
    ...inShell,
    configured: 'command: [make, test] }',
    named: ['checking add', 'case adds: wanted 5, got -1'],
    command: 'make test',
    fails: 'wanted 5, got -1',
  },
  {
    kind: 'a plain script',
    files: { 'scripts/test.sh': CHECK, 'add.sh': shell('-') },
    ...inShell,
    configured: 'command: [sh, scripts/test.sh] }',
    named: ['checking add', 'case adds: wanted 5, got -1'],
    command: 'sh scripts/test.sh',
    fails: 'wanted 5, got -1',
  },
];

/** Programs on the PATH may be proxies that look for the real ones in the home folder, which is another one here. */
function realPrograms(): string[] {
  const folders: string[] = [];
  const look = (program: string, ...args: readonly string[]) => {
    try {
      return execFileSync(program, args, { encoding: 'utf8', stdio: 'pipe' }).trim();
    } catch {
      return null;
    }
  };
  const sysroot = look('rustc', '--print', 'sysroot');
  if (sysroot !== null) folders.push(join(sysroot, 'bin'));
  const python = look('python3', '-c', 'import pytest, sys; print(sys.executable)');
  if (python !== null) folders.push(join(python, '..'));
  return folders;
}

const missing = new Set([
  ...(isThere('cargo') ? [] : ['cargo']),
  ...(isThere('pytest') ? [] : ['pytest']),
  ...(isThere('make') ? [] : ['a Makefile']),
]);

function isThere(program: string): boolean {
  try {
    execFileSync(program, ['--version'], { stdio: 'pipe' });
    return true;
  } catch {
    return false;
  }
}

for (const kind of missing) process.stderr.write(`${kind}: its program is not installed here, left out\n`);

describe.for(PROJECTS.filter(({ kind }) => !missing.has(kind)))(
  'with $kind',
  { timeout: 240_000 },
  (project) => {
    let repository: CheckedRepository;
    let packages: string;
    let searchPath: string;
    beforeAll(async () => {
      packages = await mkdtemp(join(tmpdir(), 'conductor-packages-'));
      project.install?.(packages);
      searchPath = [packages, ...realPrograms()].join(':');
      repository = await openRepository({
        files: { ...IGNORE, ...project.files },
        path: searchPath,
        configure: (config) => withoutNetwork(config, packages),
      });
    });
    afterAll(async () => {
      await repository?.close();
      await rm(packages, { recursive: true });
    });

    it('the second visit gets the case, its message and a command that can be pasted', async () => {
      const { repo, cli, home } = repository;
      expect(await readFile(join(repo.root, '.tnh/config.yaml'), 'utf8')).toContain(project.configured);
      const task = JSON.stringify({ write: project.wrong, says: 'I changed the code.' });
      const run = await cli.run(['run', 'implement', '--title', 'Fix add', '--input', `task=${task}`]);
      const runId = run.stdout.split('\n')[0] ?? '';
      const record = readRun(join(repo.root, '.tnh/run', runId));
      expect(Object.keys(record.manifests), run.stderr).toContain('implement@2');
      const first = record.evidence('implement', 'runner_prompt');
      const second = record.evidence('implement@2', 'runner_prompt');
      for (const text of project.named) {
        expect(second).toContain(text);
        expect(first).not.toContain(`evaluation asks for`);
      }
      const decision = plannerDecisionSchema.parse(
        JSON.parse(record.evidence('evaluate', 'planner_decision')),
      );
      const commands = decision.fix_instructions?.verification.map(({ command }) => command) ?? [];
      expect(commands[0]).toBe(project.command);
      const lines = second.split('\n').map((line) => line.trim());
      for (const command of commands) expect(lines).toContain(command);

      const folder = join(home, '.local/state/conductor', workspacesName(repo.root), runId);
      expect(second).not.toContain(join(folder, 'judge'));
      const workspace = join(folder, 'work');
      for (const command of commands) {
        const before = await paste(command, workspace, searchPath);
        expect(before.code, `${command}: ${before.output}`).not.toBe(0);
      }
      expect((await paste(project.command, workspace, searchPath)).output).toContain(project.fails);
      for (const [path, text] of Object.entries(project.right)) await writeFile(join(workspace, path), text);
      for (const command of commands) {
        const after = await paste(command, workspace, searchPath);
        expect(after, command).toMatchObject({ code: 0 });
      }
    });
  },
);

/** There is no network here, so what a package manager would install is copied. */
function withoutNetwork(config: string, packages: string): string {
  const plain = config.replace('[npm, ci]', `[cp, -R, ${packages}/node_modules, .]`);
  // The environment that pytest would be installed into is the one of this machine.
  return plain.includes('.venv')
    ? plain.replace(/\nsetup:[\s\S]*$/, '\n').replaceAll('.venv/bin/', '')
    : plain;
}

async function paste(
  line: string,
  cwd: string,
  searchPath: string,
): Promise<{ readonly code: number; readonly output: string }> {
  const folders = (process.env.PATH ?? '').split(':').filter((folder) => !folder.includes('node_modules'));
  const env = { PATH: [searchPath, ...folders].join(':'), HOME: process.env.HOME, NO_COLOR: '1' };
  try {
    const { stdout, stderr } = await execute('sh', ['-c', line], { cwd, env });
    return { code: 0, output: stdout + stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, output: stdout + stderr };
  }
}
