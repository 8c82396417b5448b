import { expect, it } from 'vitest';
import { findValidators } from '../../../src/adapters/project/detect-validators.ts';
import { withReport } from '../../../src/adapters/project/detection/test-reports.ts';

/** The command of the tests and its report, as one would write them. */
function testsOf(files: Readonly<Record<string, string>>): string {
  const map = new Map(Object.entries(files));
  const found = findValidators(map).find(({ name }) => name === 'tests');
  if (found === undefined) return 'nothing';
  const { command, report } = withReport(found, map);
  return report === undefined ? command.join(' ') : `${command.join(' ')} => ${report}`;
}

const VITEST =
  '--reporter=default --reporter=json --outputFile.json=.tnh/run/tests.json => vitest-json:.tnh/run/tests.json';
const JEST = '--json --outputFile=.tnh/run/tests.json => vitest-json:.tnh/run/tests.json';
const MOCHA = '--reporter xunit --reporter-options output=.tnh/run/tests.xml => junit:.tnh/run/tests.xml';
const NODE = 'env NODE_OPTIONS=--test-reporter=tap npm test => tap:stdout';

it.each([
  ['vitest', `npm test -- ${VITEST}`],
  ['vitest run --coverage', `npm test -- ${VITEST}`],
  ['tsc && vitest run', `npm test -- ${VITEST}`],
  ['npm run lint && npm run unit', `npm test -- -- ${VITEST}`],
  ['vitest run --reporter=json --outputFile=out.json', 'npm test => vitest-json:out.json'],
  ['vitest --watch', 'npm test'],
  ['vitest run --root packages/a', 'npm test'],
  ['cd packages/a && vitest run', 'npm test'],
  ['npm run build && cd packages/a && mocha', 'npm test'],
  ['NODE_OPTIONS=--conditions=source node --test', 'npm test'],
  ['cross-env NODE_OPTIONS=--conditions=source node --test', 'npm test'],
  ['vitest run | tee log', 'npm test'],
  ['vitest run; true', 'npm test'],
  ['jest', `npm test -- ${JEST}`],
  ['NODE_OPTIONS=--experimental-vm-modules npx jest --ci', `npm test -- ${JEST}`],
  ['node --experimental-vm-modules node_modules/jest/bin/jest.js', `npm test -- ${JEST}`],
  ['cross-env CI=1 jest', `npm test -- ${JEST}`],
  ['react-scripts test', `npm test -- --watchAll=false ${JEST}`],
  ['mocha', `npm test -- ${MOCHA}`],
  ['nyc --reporter=lcov mocha --recursive', `npm test -- ${MOCHA}`],
  ['c8 mocha "test/**/*.js"', `npm test -- ${MOCHA}`],
  ['node --test', NODE],
  ['node --import tsx --test test/*.test.ts', NODE],
  ['tsx --test', NODE],
  ['node --test --test-reporter=tap', 'npm test => tap:stdout'],
  ['node --test --test-reporter=junit --test-reporter-destination=out.xml', 'npm test => junit:out.xml'],
  ['node --test --test-reporter=dot', 'npm test'],
  ['node check.js', 'npm test'],
  [
    'playwright test',
    'env PLAYWRIGHT_JSON_OUTPUT_NAME=.tnh/run/tests.json npm test -- --reporter=list,json => playwright-json:.tnh/run/tests.json',
  ],
  ['ava', 'npm test -- --tap => tap:stdout'],
  ['tape test/*.js', 'npm test => tap:stdout'],
  [
    'bun test',
    'npm test -- --reporter=junit --reporter-outfile=.tnh/run/tests.xml => junit:.tnh/run/tests.xml',
  ],
  ['make test', 'npm test'],
  ['npm test', 'npm test'],
])('a package script %j gets its report', (test, expected) => {
  expect(testsOf({ 'package.json': JSON.stringify({ scripts: { test, unit: 'vitest run' } }) })).toBe(
    expected,
  );
});

it.each([
  ['pnpm passes arguments on as they are', { 'pnpm-lock.yaml': '' }, `pnpm test ${VITEST}`],
  ['so does yarn', { 'yarn.lock': '' }, `yarn test ${VITEST}`],
  ['and bun', { 'bun.lock': '' }, `bun run test ${VITEST}`],
])('%s', (_name, files, expected) => {
  expect(testsOf({ 'package.json': '{"scripts":{"test":"vitest run"}}', ...files })).toBe(expected);
});

const NEXTEST = 'cargo nextest run';
it.each([
  ['pytest', { 'pytest.ini': '' }, 'pytest --junitxml=.tnh/run/tests.xml => junit:.tnh/run/tests.xml'],
  [
    'pytest behind a runner',
    { 'conftest.py': '', 'uv.lock': '' },
    'uv run pytest --junitxml=.tnh/run/tests.xml => junit:.tnh/run/tests.xml',
  ],
  [
    'pytest that requirements list',
    { 'requirements-dev.txt': 'ruff\npytest>=8  # tests\n' },
    'pytest --junitxml=.tnh/run/tests.xml => junit:.tnh/run/tests.xml',
  ],
  ['requirements of something like it', { 'requirements.txt': 'pytest-like\n' }, 'nothing'],
  ['go', { 'go.mod': 'module x\n' }, 'go test -json ./... => go-json:stdout'],
  ['cargo', { 'Cargo.toml': '[package]\n' }, 'cargo test'],
  [
    'nextest with a report',
    { 'Cargo.toml': '[package]\n', '.config/nextest.toml': '[profile.ci.junit]\npath = "junit.xml"\n' },
    `${NEXTEST} --profile ci => junit:target/nextest/ci/junit.xml`,
  ],
  [
    'nextest with a report of its default profile',
    { 'Cargo.toml': '[package]\n', '.config/nextest.toml': '[profile.default.junit]\npath = "out/j.xml"\n' },
    `${NEXTEST} => junit:target/nextest/default/out/j.xml`,
  ],
  [
    'nextest without one',
    { 'Cargo.toml': '[package]\n', '.config/nextest.toml': '[profile.ci]\nfail-fast = false\n' },
    NEXTEST,
  ],
  ['deno', { 'deno.json': '{}' }, 'deno test --junit-path=.tnh/run/tests.xml => junit:.tnh/run/tests.xml'],
  ['maven', { 'pom.xml': '', mvnw: '' }, './mvnw test => junit:**/target/surefire-reports/TEST-*.xml'],
  ['gradle', { 'build.gradle.kts': '' }, 'gradle test => junit:**/build/test-results/test/*.xml'],
  ['a Makefile', { Makefile: 'test:\n\tgo test\n' }, 'make test'],
  ['a script', { 'scripts/test.sh': '#!/usr/bin/env bash\n' }, 'bash scripts/test.sh'],
])('%s', (_name, files, expected) => {
  expect(testsOf(files)).toBe(expected);
});
