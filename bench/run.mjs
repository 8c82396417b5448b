// How much longer the command takes than Node itself. Exits 1 when a limit is broken, 2 when nothing could be
// measured. `--short` measures fewer rounds.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { measure, measureCpu } from './measure.mjs';
import { formatGrowth, formatRatios, formatTable, judge } from './report.mjs';
import { createWorkflow, STEPS_PER_STAGE } from './workflow-file.mjs';

const STEPS = 50;
const ROUNDS = process.argv.includes('--short') ? 9 : 31;
const PROGRAM = join(import.meta.dirname, '..', 'dist', 'bin', 'conductor.js');

const COMMANDS = [
  { name: 'node -e 0', args: ['-e', '0'], limit: null },
  { name: 'conductor --version', args: [PROGRAM, '--version'], limit: 1.6 },
  { name: `conductor validate (${STEPS} steps)`, args: [PROGRAM, 'validate', 'bench.yaml'], limit: 3 },
];

/** Steps of the workflows that show how the time grows. */
const GROWTH = [50, 1000, 10_000];
const GROWTH_ROUNDS = process.argv.includes('--short') ? 3 : 9;

/** What a user has, but for what would change which files are read. */
function inheritedEnvironment(folder) {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(?:CONDUCTOR_|GIT_)/.test(name));
  return { ...Object.fromEntries(inherited), XDG_CONFIG_HOME: join(folder, 'config'), NO_COLOR: '1' };
}

/** Some `NODE_` variables, such as certificates to load, make every start slower, and the ratio smaller. */
function bareEnvironment(env) {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('NODE_')));
}

function makeRepository(folder, env) {
  const git = spawnSync('git', ['init', '--quiet', folder], { env, encoding: 'utf8' });
  if (git.status !== 0) throw new Error(`git init failed: ${git.error?.message ?? git.stderr.trim()}`);
  writeFileSync(join(folder, 'bench.yaml'), createWorkflow(STEPS / STEPS_PER_STAGE));
}

/** Processor time of `validate` beyond that of `--version`. Good to know; it decides nothing. */
function growthIn(folder, env) {
  for (const steps of GROWTH) {
    writeFileSync(join(folder, `growth-${steps}.yaml`), createWorkflow(steps / STEPS_PER_STAGE));
  }
  const commands = [
    { name: 'conductor --version', args: [PROGRAM, '--version'] },
    ...GROWTH.map((steps) => ({
      name: `conductor validate (${steps} steps)`,
      args: [PROGRAM, 'validate', `growth-${steps}.yaml`],
    })),
  ];
  const [base, ...times] = measureCpu(commands, { rounds: GROWTH_ROUNDS, cwd: folder, env });
  return GROWTH.map((steps, index) => ({ steps, ms: times[index] - base }));
}

function main() {
  if (!existsSync(PROGRAM)) throw new Error('dist/bin/conductor.js is not built; npm run setup builds it');
  const folder = mkdtempSync(join(tmpdir(), 'conductor-bench-'));
  try {
    const env = inheritedEnvironment(folder);
    makeRepository(folder, env);
    const rowsIn = (env) => judge(COMMANDS, measure(COMMANDS, { rounds: ROUNDS, cwd: folder, env }));
    const rows = rowsIn(env);
    process.stdout.write(`${formatTable(rows)}\n${ROUNDS} rounds, node ${process.versions.node}\n`);
    process.stdout.write(`without NODE_ variables: ${formatRatios(rowsIn(bareEnvironment(env)))}\n`);
    process.stdout.write(`processor time beyond --version: ${formatGrowth(growthIn(folder, env))}\n`);
    return rows.some(({ broken }) => broken) ? 1 : 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

try {
  process.exitCode = main();
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
}
