// How much longer the command takes than Node itself. Exits 1 when a limit is broken, 2 when nothing could be
// measured. `--short` measures fewer rounds, with wider limits.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkGrowth, formatGrowthRows, measureGrowth } from './growth.mjs';
import { formatHostile, measureHostile, measureSlips, measureStart } from './hostile.mjs';
import { measure } from './measure.mjs';
import { exitWith } from './outcome.mjs';
import { compareWithLimits, firstThatHolds, formatGrowth, formatRatios, formatTable } from './report.mjs';
import { createWorkflow, STEPS_PER_STAGE } from './workflow-file.mjs';

const STEPS = 50;
const SHORT = process.argv.includes('--short');
const ROUNDS = SHORT ? 9 : 31;
const ROOT = join(import.meta.dirname, '..');
const PROGRAM = join(ROOT, 'dist', 'bin', 'conductor.js');

const COMMANDS = [
  { name: 'node -e 0', args: ['-e', '0'], limit: null },
  { name: 'conductor --version', args: [PROGRAM, '--version'], limit: 1.6 },
  { name: `conductor validate (${STEPS} steps)`, args: [PROGRAM, 'validate', 'bench.yaml'], limit: 4 },
];

/**
 * What a V8 flag would save that delays optimised code: nothing for a workflow of five steps, some of the time for long ones.
 * `src/main.ts` doesn't set it; this row shows when that should be reconsidered.
 */
const FLAG_DOCUMENTS = ['short.yaml', 'bench.yaml'];
const LOAD_V8 = "import { setFlagsFromString } from 'node:v8';";
const FLAG_COMMANDS = FLAG_DOCUMENTS.flatMap((name) =>
  [LOAD_V8, `${LOAD_V8} setFlagsFromString('--interrupt-budget=1000000');`].map((code) => ({
    name: `validate ${name}`,
    args: ['--import', `data:text/javascript,${encodeURIComponent(code)}`, PROGRAM, 'validate', name],
  })),
);

const GROWTH_ROUNDS = SHORT ? 5 : 9;
const SLIPS = SHORT ? 50 : 300;

/** Few rounds on a machine that does other things too say less: what they may take is half as much again. */
const SLACK = SHORT ? 1.5 : 1;

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
  writeFileSync(join(folder, 'short.yaml'), createWorkflow(1));
}

async function main() {
  if (!existsSync(PROGRAM)) throw new Error('dist/bin/conductor.js is not built; npm run setup builds it');
  const folder = mkdtempSync(join(tmpdir(), 'conductor-bench-'));
  try {
    const env = inheritedEnvironment(folder);
    makeRepository(folder, env);
    const rowsIn = (env) =>
      compareWithLimits(COMMANDS, measure(COMMANDS, { rounds: ROUNDS, cwd: folder, env }));
    const rows = await firstThatHolds(() => rowsIn(env));
    process.stdout.write(`${formatTable(rows)}\n${ROUNDS} rounds, node ${process.versions.node}\n`);
    process.stdout.write(`without NODE_ variables: ${formatRatios(rowsIn(bareEnvironment(env)))}\n`);
    const [short, shortFlag, long, longFlag] = measure(FLAG_COMMANDS, { rounds: ROUNDS, cwd: folder, env });
    process.stdout.write(
      `with --interrupt-budget, validate would take: ${STEPS_PER_STAGE} steps ${(shortFlag / short).toFixed(2)}, ${STEPS} steps ${(longFlag / long).toFixed(2)} times as long\n`,
    );
    const growth = measureGrowth({ program: PROGRAM, rounds: GROWTH_ROUNDS, cwd: folder, env });
    const checked = checkGrowth(growth, SLACK);
    process.stdout.write(`validate --prove beyond --version: ${formatGrowth(growth.points)}\n`);
    process.stdout.write(`${formatGrowthRows(checked)}\n`);
    const unit = { start: measureStart({ program: PROGRAM, cwd: folder, env }), slack: SLACK };
    const hostile = [
      ...(await measureHostile({ program: PROGRAM, cwd: folder, env, ...unit })),
      ...(await measureSlips({ count: SLIPS, cwd: folder, root: ROOT, ...unit })),
    ];
    process.stdout.write(`${formatHostile(hostile, unit)}\n`);
    return [...rows, ...checked, ...hostile].some(({ broken }) => broken) ? 1 : 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

await exitWith(main);
