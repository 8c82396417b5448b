// Runs the commands of goldens/suite.json and compares what they print with the goldens beside it.
// A difference is proposed and never written: the conductor does that, after a person has approved.
//
//   suite.json: { "suite_id": "cli", "cases": [{ "id": "help", "command": ["node", "cli.js", "--help"] }] }
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const FOLDER = 'goldens';
const { values } = parseArgs({ options: { report: { type: 'string' }, proposals: { type: 'string' } } });

compare(values.report ?? 'harness_report.json', values.proposals ?? 'proposed');

function compare(reportPath, proposals) {
  const startedMs = Date.now();
  const suite = JSON.parse(readFileSync(join(FOLDER, 'suite.json'), 'utf8'));
  // What an earlier visit of this step proposed is not proposed any more.
  rmSync(proposals, { recursive: true, force: true });
  const proposed = [];
  const cases = suite.cases.map(({ id, command: [program, ...args] }) => {
    const ran = spawnSync(program, args, { encoding: 'utf8' });
    const passed = ran.status === 0;
    if (passed && ran.stdout !== goldenOf(id)) proposed.push(propose(proposals, id, ran.stdout));
    console.log(`${passed ? 'ok' : 'not ok'} ${id}`);
    return {
      id,
      kind: 'cli',
      status: passed ? 'passed' : 'failed',
      repro: [program, ...args].join(' '),
      observations: passed ? [] : [`it exited with ${ran.status}`, ran.stderr ?? ''],
      artifacts: [],
    };
  });
  const failed = cases.filter(({ status }) => status === 'failed').length;
  const report = {
    suite_id: suite.suite_id,
    version: '1.0.0',
    generated_at: new Date().toISOString(),
    cases,
    summary: { passed: cases.length - failed, failed, flaky: 0, duration_ms: Date.now() - startedMs },
    proposed_goldens: proposed,
  };
  writeFileSync(reportPath, `${JSON.stringify(report, null, 2)}\n`);
  process.exitCode = failed === 0 ? 0 : 1;
}

function goldenOf(id) {
  const path = join(FOLDER, `${id}.txt`);
  return existsSync(path) ? readFileSync(path, 'utf8') : null;
}

function propose(proposals, id, text) {
  mkdirSync(proposals, { recursive: true });
  writeFileSync(join(proposals, `${id}.txt`), text);
  return {
    id,
    golden_path: `${FOLDER}/${id}.txt`,
    proposed_path: `harness/proposed/${id}.txt`,
    kind: 'text',
  };
}
