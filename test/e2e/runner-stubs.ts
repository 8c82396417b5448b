import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Programs that leave what the real runners leave, recorded from them, for runners that are not installed everywhere.
 * Whether the test fails depends on the code of the checkout, as it does for the real ones.
 */

const PRELUDE = `#!/usr/bin/env node
const fs = require('node:fs');
const path = require('node:path');
const args = process.argv.slice(2);
const root = process.cwd();
const optionOf = (name) => {
  const at = args.findIndex((word) => word === name || word.startsWith(name + '='));
  return at < 0 ? null : args[at].includes('=') ? args[at].slice(name.length + 1) : args[at + 1];
};
const write = (file, text) => fs.writeFileSync(path.resolve(root, file), text);
`;

/** Jest 29 with \`--json --outputFile\`; without them it prints text. It makes no folder for its file. */
const JEST = `${PRELUDE}
const fails = fs.readFileSync('src/add.js', 'utf8').includes('a - b');
const message = 'Error: expect(received).toBe(expected) // Object.is equality\\n\\nExpected: 5\\nReceived: -1\\n    at Object.toBe (' + root + '/test/add.test.js:3:38)\\n    at Promise.then.completed (' + root + '/node_modules/jest-circus/build/utils.js:298:28)';
const name = optionOf('-t');
if (name !== null && !new RegExp(name).test('add adds')) { console.error('Tests: 2 skipped, 2 total'); process.exit(0); }
const out = optionOf('--outputFile');
if (out !== null) write(out, JSON.stringify({
  numFailedTestSuites: fails ? 1 : 0, numFailedTests: fails ? 1 : 0, numPassedTests: fails ? 1 : 2, numRuntimeErrorTestSuites: 0,
  numTotalTests: 2, startTime: 1700000000000, success: !fails, wasInterrupted: false,
  testResults: [{ name: root + '/test/add.test.js', status: fails ? 'failed' : 'passed', startTime: 1700000000100, endTime: 1700000000400, summary: '', message: fails ? '  ● add › adds' : '',
    assertionResults: [
      { ancestorTitles: ['add'], title: 'adds', fullName: 'add adds', status: fails ? 'failed' : 'passed', duration: 3, failureMessages: fails ? [message] : [], invocations: 1, location: null },
      { ancestorTitles: ['add'], title: 'keeps zero', fullName: 'add keeps zero', status: 'passed', duration: 0, failureMessages: [], invocations: 1, location: null },
    ] }],
}));
console.error(fails ? 'FAIL test/add.test.js\\n  ● add › adds\\n\\n    expect(received).toBe(expected)\\n\\n    Expected: 5\\n    Received: -1' : 'PASS test/add.test.js');
process.exit(fails ? 1 : 0);
`;

/** Mocha 11 with its \`xunit\` reporter, or with \`spec\`. */
const MOCHA = `${PRELUDE}
const fails = fs.readFileSync('src/add.js', 'utf8').includes('a - b');
const file = root + '/test/add.test.js';
const grep = optionOf('-g');
if (grep !== null && !new RegExp(grep).test('add adds')) { console.log('  0 passing (2ms)'); process.exit(0); }
const text = 'Expected values to be strictly equal:\\n\\n-1 !== 5\\n';
const stack = 'AssertionError [ERR_ASSERTION]: ' + text + '\\n    at Context.&lt;anonymous&gt; (test/add.test.js:4:40)\\n    at process.processImmediate (node:internal/timers:476:21)';
const cases = [
  fails ? '<testcase classname="add" name="adds" file="' + file + '" time="0.001"><failure>' + text + '\\n      + expected - actual\\n\\n      --1\\n      +5\\n      \\n' + stack + '</failure></testcase>' : '<testcase classname="add" name="adds" file="' + file + '" time="0.001"/>',
  '<testcase classname="add" name="keeps zero" file="' + file + '" time="0"/>',
];
const xml = '<testsuite name="Mocha Tests" tests="2" failures="' + (fails ? 1 : 0) + '" errors="' + (fails ? 1 : 0) + '" skipped="0" timestamp="Tue, 03 Feb 2026 10:00:00 GMT" time="0.004">\\n' + cases.join('\\n') + '\\n</testsuite>\\n';
const out = (optionOf('--reporter-options') || '').replace('output=', '');
if (out !== '') { fs.mkdirSync(path.dirname(path.resolve(root, out)), { recursive: true }); write(out, xml); }
else console.log(fails ? '  add\\n    1) adds\\n\\n  0 passing (3ms)\\n  1 failing\\n\\n  1) add\\n       adds:\\n\\n      ' + text : '  add\\n    ✔ adds\\n\\n  1 passing (3ms)');
process.exit(fails ? 1 : 0);
`;

/** Go 1.24: \`go test -json ./...\`, and \`go test PACKAGE -run PATTERN\` with text output. */
const GO = `${PRELUDE}
if (args[0] !== 'test') process.exit(0);
const fails = fs.readFileSync('calc/add.go', 'utf8').includes('a - b');
const Package = 'example.com/sums/calc';
const line = '    add_test.go:7: Add(2, 3) = -1, want 5\\n';
const run = optionOf('-run');
if (run !== null && run !== '^TestAdd$') { console.log('ok  \\t' + Package + '\\t0.002s [no tests to run]'); process.exit(0); }
if (!args.includes('-json')) {
  console.log(fails ? '--- FAIL: TestAdd (0.00s)\\n' + line + 'FAIL\\nFAIL\\t' + Package + '\\t0.002s\\nFAIL' : 'ok  \\t' + Package + '\\t0.002s');
  process.exit(fails ? 1 : 0);
}
const event = (Action, rest) => console.log(JSON.stringify({ Time: '2026-02-03T10:00:00.000000001Z', Action, Package, ...rest }));
event('start');
event('run', { Test: 'TestAdd' });
event('output', { Test: 'TestAdd', Output: '=== RUN   TestAdd\\n' });
if (fails) event('output', { Test: 'TestAdd', Output: line });
event('output', { Test: 'TestAdd', Output: '--- ' + (fails ? 'FAIL' : 'PASS') + ': TestAdd (0.00s)\\n' });
event(fails ? 'fail' : 'pass', { Test: 'TestAdd', Elapsed: 0 });
event('output', { Output: fails ? 'FAIL\\n' : 'PASS\\n' });
event('output', { Output: (fails ? 'FAIL' : 'ok  ') + '\\t' + Package + '\\t0.002s\\n' });
event(fails ? 'fail' : 'pass', { Elapsed: 0.002 });
process.exit(fails ? 1 : 0);
`;

const STUBS = { jest: JEST, mocha: MOCHA, go: GO };
export type StubName = keyof typeof STUBS;

/** Puts the program into a folder, ready to be started. */
export function placeStub(name: StubName, path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, STUBS[name]);
  chmodSync(path, 0o755);
}

/** A folder in place of what `npm ci` would install. */
export function placePackage(name: StubName, packages: string): void {
  placeStub(name, join(packages, 'node_modules/.bin', name));
}
