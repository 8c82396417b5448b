import { execFile } from 'node:child_process';
import { symlink } from 'node:fs/promises';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type HarnessReport, harnessReportSchema } from '../../src/contracts/run/harness-report.ts';
import { configured, openValidatorScene, type ValidatorScene } from './validator-fixture.ts';

const execute = promisify(execFile);
const MODULES = new URL('../../node_modules', import.meta.url).pathname;

/** Each of these starts several programs of others, on a machine that may be busy. */
const SLOW = { timeout: 180_000 };

let scene: ValidatorScene;
beforeEach(async () => {
  scene = await openValidatorScene();
});
afterEach(() => scene.remove());

/** Runs the real thing in the checkout and gives its report, which must add up with its exit code. */
async function reportOf(command: readonly [string, ...string[]], report: string): Promise<HarnessReport> {
  const result = await scene.run(configured(command, report));
  expect(result).toMatchObject({ exitCode: 1, outcome: 'error', missingArtifacts: [] });
  expect(result.reason).toBe('the validator exited with code 1');
  return harnessReportSchema.parse(result.harnessReport?.value);
}

const ends = ({ cases }: HarnessReport) => cases.map(({ id, status }) => `${status} ${id}`);

function caseOf({ cases }: HarnessReport, id: string) {
  const found = cases.find((item) => item.id === id);
  expect(found, id).toBeDefined();
  return {
    repro: found?.repro ?? '',
    observations: found?.observations ?? [],
    durationMs: found?.duration_ms,
  };
}

/** Pastes the line into a shell in the checkout, as a user would. */
async function paste(line: string): Promise<{ code: number; output: string }> {
  const options = {
    cwd: scene.place.checkoutPath,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, NO_COLOR: '1' },
  };
  try {
    const { stdout, stderr } = await execute('sh', ['-c', line], options);
    return { code: 0, output: stdout + stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, output: stdout + stderr };
  }
}

const expectTime = (report: HarnessReport) => {
  expect(report.summary.duration_ms).toBeGreaterThan(0);
  expect(report.summary.duration_ms).toBeLessThan(60_000);
};

const VITEST = `import { describe, expect, it } from 'vitest';
describe('sum', () => {
  it('adds (small) numbers', () => { expect(1 + 1).toBe(3); });
  it('adds nothing & <more>', async () => { await new Promise((done) => setTimeout(done, 30)); });
  it.skip('later', () => {});
  let tries = 0;
  it('wobbles', { retry: 1 }, () => { tries += 1; expect(tries).toBe(2); });
});
`;

describe('Vitest', SLOW, () => {
  beforeEach(async () => {
    await symlink(MODULES, scene.inTree('node_modules'));
    await scene.put(scene.inTree('test/sum.test.ts'), VITEST);
    await scene.put(scene.inTree('test/broken.test.ts'), "import './nothing-here.ts';");
  });

  it('in JSON gives cases, one that is flaky, durations and lines that fail alone', async () => {
    const report = await reportOf(
      ['npx', 'vitest', 'run', '--reporter=json', '--outputFile=out/vitest.json'],
      'vitest-json:out/vitest.json',
    );
    expect(ends(report).sort()).toEqual([
      'failed test/broken.test.ts',
      'failed test/sum.test.ts > sum > adds (small) numbers',
      'flaky test/sum.test.ts > sum > wobbles',
      'passed test/sum.test.ts > sum > adds nothing & <more>',
      'skipped test/sum.test.ts > sum > later',
    ]);
    expect(report.summary).toMatchObject({ passed: 1, failed: 2, flaky: 1, skipped: 1 });
    expectTime(report);
    expect(caseOf(report, 'test/sum.test.ts > sum > adds nothing & <more>').durationMs).toBeGreaterThan(25);
    const failed = caseOf(report, 'test/sum.test.ts > sum > adds (small) numbers');
    expect(failed.observations[0]).toMatch(/^AssertionError: expected 2 to be 3.*\n.*sum\.test\.ts:3:\d+$/);
    expect(failed.repro).toBe(String.raw`npx vitest run test/sum.test.ts -t 'sum adds \(small\) numbers'`);
    const again = await paste(failed.repro);
    expect(again.code).toBe(1);
    expect(again.output).toMatch(/1 failed \| 3 skipped/);
    const passed = await paste(caseOf(report, 'test/sum.test.ts > sum > adds nothing & <more>').repro);
    expect(passed.output).toMatch(/1 passed \| 3 skipped/);
  });

  it("in JUnit gives the same, except for what JUnit can't express", async () => {
    const report = await reportOf(
      ['npx', 'vitest', 'run', '--reporter=junit', '--outputFile=out/vitest.xml'],
      'junit:out/*.xml',
    );
    expect(ends(report).sort()).toEqual([
      'failed test/broken.test.ts',
      'failed test/sum.test.ts > sum > adds (small) numbers',
      'passed test/sum.test.ts > sum > adds nothing & <more>',
      'passed test/sum.test.ts > sum > wobbles',
      'skipped test/sum.test.ts > sum > later',
    ]);
    expectTime(report);
    expect(caseOf(report, 'test/broken.test.ts').repro).toBe('npx vitest run test/broken.test.ts');
    expect(caseOf(report, 'test/sum.test.ts > sum > adds (small) numbers').observations[0]).toContain(
      'expected 2 to be 3',
    );
  });

  it('that exits with 1 though all tests passed has a failed case that says why', async () => {
    await scene.put(
      scene.inTree('test/broken.test.ts'),
      "import { it } from 'vitest'; it('is fine', () => {});",
    );
    await scene.put(
      scene.inTree('test/sum.test.ts'),
      "import { it } from 'vitest'; it('leaves a promise', () => { Promise.reject(new Error('nobody waits')); });",
    );
    const report = await reportOf(
      ['npx', 'vitest', 'run', '--reporter=json', '--outputFile=out.json'],
      'vitest-json:out.json',
    );
    expect(report.summary).toMatchObject({ passed: 2, failed: 1 });
    expect(caseOf(report, 'exit code 1').repro).toBe('npx vitest run --reporter=json --outputFile=out.json');
  });
});

const NODE = `import assert from 'node:assert';
import { describe, it, test } from 'node:test';
describe('sum', () => {
  it('adds [all]', () => { assert.equal(1 + 1, 3); });
  it('adds nothing', async () => { await new Promise((done) => setTimeout(done, 30)); });
  it.skip('later', () => {});
  it.todo('some day', () => { throw new Error('not yet'); });
});
test('prints', () => { console.log('not ok 7 - this is no result'); });
`;

describe("Node's test runner", SLOW, () => {
  const expected = [
    'failed broken.test.mjs',
    'failed sum > adds [all]',
    'passed prints',
    'passed sum > adds nothing',
    'skipped sum > later',
    'skipped sum > some day',
  ];
  beforeEach(async () => {
    await scene.put(scene.inTree('sum.test.mjs'), NODE);
    await scene.put(scene.inTree('broken.test.mjs'), "import './nothing-here.mjs';");
  });

  it('in TAP gives cases, durations and a line that fails alone', async () => {
    const command = ['node', '--test', '--test-reporter=tap', 'sum.test.mjs', 'broken.test.mjs'] as const;
    const report = await reportOf(command, 'tap:stdout');
    expect(ends(report).sort()).toEqual(expected);
    expect(report.summary).toMatchObject({ passed: 2, failed: 2, flaky: 0, skipped: 2 });
    expectTime(report);
    expect(caseOf(report, 'sum > adds nothing').durationMs).toBeGreaterThan(25);
    const failed = caseOf(report, 'sum > adds [all]');
    expect(failed.repro).toBe(String.raw`node --test --test-name-pattern='adds \[all\]' sum.test.mjs`);
    expect(failed.observations[0]).toContain('2 == 3');
    expect((await paste(failed.repro)).code).toBe(1);
    expect(
      (await paste(caseOf(report, 'sum > adds nothing').repro.replace(' broken.test.mjs', ''))).code,
    ).toBe(0);
  });

  it('in JUnit gives the same', async () => {
    await scene.put(
      scene.inTree('package.json'),
      JSON.stringify({
        scripts: {
          test: 'node --test --test-reporter=junit --test-reporter-destination=report.xml sum.test.mjs broken.test.mjs',
        },
      }),
    );
    const report = await reportOf(['npm', 'test'], 'junit:report.xml');
    expect(ends(report).sort()).toEqual(expected);
    expectTime(report);
    const failed = caseOf(report, 'sum > adds [all]');
    // JUnit does not say whether `sum` is a suite or a test; without its own pattern a test around a subtest is skipped.
    expect(failed.repro).toBe(
      String.raw`node --test --test-name-pattern="sum" --test-name-pattern='adds \[all\]' sum.test.mjs`,
    );
    expect((await paste(failed.repro)).code).toBe(1);
  });
});

const PYTEST = `import pytest, time

class TestSum:
    def test_adds(self):
        assert 1 + 1 == 3

    def test_nothing(self):
        time.sleep(0.03)

@pytest.mark.parametrize("name", ["a b", "c"])
def test_name(name):
    assert name == "c"

@pytest.mark.skip(reason="no network")
def test_later():
    pass
`;

describe('pytest', SLOW, () => {
  it('in JUnit gives cases, durations and lines that fail alone', async (context) => {
    const found = await execute('python3', ['-m', 'pytest', '--version']).catch(() => null);
    if (found === null) context.skip('there is no pytest here; the recorded file is read by another test');
    await scene.put(scene.inTree('tests/test_sum.py'), PYTEST);
    const command = [
      'python3',
      '-m',
      'pytest',
      '-q',
      '-p',
      'no:cacheprovider',
      '--junitxml=out/pytest.xml',
    ] as const;
    const report = await reportOf(command, 'junit:out/pytest.xml');
    expect(ends(report)).toEqual([
      'failed tests/test_sum.py::TestSum::test_adds',
      'passed tests/test_sum.py::TestSum::test_nothing',
      'failed tests/test_sum.py::test_name[a b]',
      'passed tests/test_sum.py::test_name[c]',
      'skipped tests/test_sum.py::test_later',
    ]);
    expectTime(report);
    expect(caseOf(report, 'tests/test_sum.py::TestSum::test_nothing').durationMs).toBeGreaterThan(25);
    const failed = caseOf(report, 'tests/test_sum.py::test_name[a b]');
    expect(failed.repro).toBe("python3 -m pytest 'tests/test_sum.py::test_name[a b]'");
    const again = await paste(failed.repro);
    expect([again.code, again.output]).toEqual([1, expect.stringContaining('1 failed')]);
  });
});
