// What a run costs beside plain git: processes, time on a small and on a large repository, and whether the cost of a step
// grows with the runs that are kept or with the steps of the run. Only ratios and counts decide. Exits 1 when a limit is
// broken, 2 when nothing could be measured. `--short` measures fewer rounds.
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { median } from './measure.mjs';
import { exitWith } from './outcome.mjs';
import { align, compareWithLimits, firstThatHolds, formatTable } from './report.mjs';
import {
  environment,
  git,
  makeCounter,
  makeRepository,
  workflow,
  writePlainScript,
} from './workspace/scene.mjs';

const SHORT = process.argv.includes('--short');
const PROGRAM = join(import.meta.dirname, '..', 'dist', 'bin', 'conductor.js');
const LARGE = SHORT ? 5_000 : 20_000;
const KEPT_RUNS = 500;
const MANY_STEPS = SHORT ? 60 : 200;
const ROUNDS = SHORT ? { small: 5, large: 3, kept: 5 } : { small: 15, large: 7, kept: 11 };

/** The short form measures few rounds, often on a busy machine: limits on times are half as high again. */
const SLACK = SHORT ? 1.5 : 1;

const LIMITS = {
  run: 30,
  validation: 4,
  agent: 10,
  // Broken: 4 to 10, depending on how fast git starts on the machine. The short form prints it, the long form fails on it.
  small: SHORT ? null : 4,
  large: 1.5 * SLACK,
  kept: 1.1 * SLACK,
  steps: 1.1 * SLACK,
  boundaries: 0.05,
};

/** Starts a run to its end. Returns its id. */
function run(root, env, name) {
  const result = spawnSync(process.execPath, [PROGRAM, 'run', name], { cwd: root, env, encoding: 'utf8' });
  if (result.status !== 0) throw new Error(`conductor run ended with ${result.status}: ${result.stderr}`);
  return result.stdout.trim();
}

function timed(work) {
  const start = performance.now();
  work();
  return performance.now() - start;
}

function countProcesses(root, env, folder) {
  const counter = makeCounter(folder);
  const counting = { ...env, PATH: `${counter.path}:${env.PATH}` };
  const count = (agents, validations) => {
    const name = `count-${agents}-${validations}.yaml`;
    writeFileSync(join(root, name), workflow(agents, validations));
    run(root, counting, name);
    return counter.take();
  };
  // The first run takes the baseline, which later ones are given.
  run(root, env, 'bench.yaml');
  const one = count(1, 1);
  const moreChecks = count(1, 4);
  // The second of two equal runs costs more: git writes no object that the user's repository has, so conductor copies it.
  const moreAgents = Math.max(count(4, 1), count(4, 1));
  return [
    { name: 'a run of three steps', count: one, limit: LIMITS.run },
    { name: 'each further validation', count: (moreChecks - one) / 3, limit: LIMITS.validation },
    { name: 'each further agent step', count: (moreAgents - one) / 3, limit: LIMITS.agent },
  ].map((row) => ({ ...row, broken: row.count > row.limit }));
}

/** Each comes first in turn, so that whatever disturbs a round disturbs both. */
function besidePlain(root, env, folder, rounds) {
  const script = writePlainScript(folder);
  const times = [[], []];
  const plain = () => {
    const result = spawnSync('sh', [script, folder, root], { cwd: root, env, encoding: 'utf8' });
    if (result.status !== 0)
      throw new Error(`the plain script ended with ${result.status}: ${result.stderr}`);
  };
  const conductor = () => run(root, env, 'bench.yaml');
  for (let round = -1; round < rounds; round += 1) {
    const order = round % 2 === 0 ? [0, 1] : [1, 0];
    for (const which of order) {
      const took = timed([plain, conductor][which]);
      if (round >= 0) times[which].push(took);
    }
    removeCheckouts(folder);
  }
  return times.map(median);
}

function removeCheckouts(folder) {
  for (const name of readdirSync(folder))
    if (name.startsWith('plain.') && name !== 'plain.sh') rmSync(join(folder, name), { recursive: true });
}

/** Milliseconds of each agent step of a run, by its events. */
function stepTimes(root, id) {
  const lines = readFileSync(join(root, '.tnh', 'run', id, 'events.ndjson'), 'utf8')
    .trim()
    .split('\n');
  const started = new Map();
  const times = [];
  for (const line of lines) {
    const { event_type: type, step_id: step, timestamp } = JSON.parse(line);
    if (step === null || !step.startsWith('work')) continue;
    if (type === 'step_started') started.set(step, Date.parse(timestamp));
    if (type === 'step_completed') times.push(Date.parse(timestamp) - started.get(step));
  }
  return times;
}

function stepCost(root, env) {
  return median(stepTimes(root, run(root, env, 'steps.yaml')));
}

/** The traces that kept runs leave in the repository: a branch with a commit, and a ref on the base. */
function keepRuns(root, count) {
  const head = git(root, 'rev-parse', 'HEAD');
  const tree = git(root, 'rev-parse', 'HEAD^{tree}');
  const commit = git(
    root,
    '-c',
    'user.name=a',
    '-c',
    'user.email=a@b',
    'commit-tree',
    tree,
    '-p',
    head,
    '-m',
    'kept',
  );
  const commands = Array.from({ length: count }, (_, at) => {
    const id = `01a00000-0000-7000-8000-${String(at).padStart(12, '0')}`;
    return `create refs/heads/conductor/run/kept/${id} ${commit}\ncreate refs/conductor/base/${id} ${head}\n`;
  });
  spawnSync('git', ['update-ref', '--stdin'], { cwd: root, input: commands.join('') });
}

/** The same steps in two repositories that differ in their kept runs alone, in turn. */
function withKeptRuns(folder, env) {
  const roots = ['none', 'many'].map((name) => join(folder, name));
  for (const root of roots) {
    makeRepository(root, 200);
    writeFileSync(join(root, 'steps.yaml'), workflow(6, 1));
  }
  keepRuns(roots[1], KEPT_RUNS);
  const times = [[], []];
  for (let round = -1; round < ROUNDS.kept; round += 1)
    for (const [which, root] of roots.entries()) {
      const cost = stepCost(root, env);
      if (round >= 0) times[which].push(cost);
    }
  return times.map(median);
}

/** The first steps of a long run beside its last ones. */
function withinLongRun(root, env) {
  writeFileSync(join(root, 'long.yaml'), workflow(MANY_STEPS, 1));
  const times = stepTimes(root, run(root, env, 'long.yaml'));
  const tenth = Math.floor(MANY_STEPS / 10);
  return [median(times.slice(3, 3 + tenth)), median(times.slice(-tenth))];
}

/** The trust check and a neutralised text of 1,000 lines, beside the whole command that needs them. */
function boundaryCosts(root, env, rounds) {
  const script = join(import.meta.dirname, 'workspace', 'boundaries.mjs');
  const times = [[], [], []];
  for (let round = 0; round < rounds; round += 1) {
    const result = spawnSync(process.execPath, [script, root], { cwd: root, env, encoding: 'utf8' });
    if (result.status !== 0) throw new Error(`the trust check ended with ${result.status}: ${result.stderr}`);
    const { trustMs, textMs } = JSON.parse(result.stdout);
    for (const [at, took] of [timed(() => run(root, env, 'bench.yaml')), trustMs, textMs].entries())
      times[at].push(took);
  }
  return times.map(median);
}

function formatCounts(rows) {
  const cells = rows.map(({ name, count, limit, broken }) => [
    name,
    count.toFixed(1),
    `<= ${limit}`,
    broken ? 'BROKEN' : 'ok',
  ]);
  return align([['git processes', 'count', 'limit', ''], ...cells]);
}

/** Loose objects and packs of the private repositories, against those of the user's. */
function copiedObjects(env, root) {
  const state = join(env.HOME, '.local', 'state', 'conductor');
  const [repository] = readdirSync(state).filter((name) => name.startsWith('large-'));
  const [id] = readdirSync(join(state, repository)).filter((name) => /^[0-9a-f]{8}-/.test(name));
  const own = git(root, `--git-dir=${join(state, repository, id, 'store')}`, 'count-objects', '-v');
  const count = Number(/^count: (\d+)$/m.exec(own)?.[1]) + Number(/^in-pack: (\d+)$/m.exec(own)?.[1]);
  // The changed file with the folders above it, and the commits.
  return [{ name: 'objects in the store of a run', count, limit: 12, broken: count > 12 }];
}

async function main() {
  if (!existsSync(PROGRAM)) throw new Error('dist/bin/conductor.js is not built; npm run setup builds it');
  const folder = mkdtempSync(join(tmpdir(), 'conductor-bench-'));
  try {
    const env = environment(folder);
    const roots = { small: join(folder, 'small'), large: join(folder, 'large') };
    for (const [name, root] of Object.entries(roots)) {
      mkdirSync(root);
      makeRepository(root, name === 'small' ? 20 : LARGE);
      writeFileSync(join(root, 'bench.yaml'), workflow(1, 1));
    }
    const counts = countProcesses(roots.small, env, folder);
    const compare = (name, limit, measured) =>
      compareWithLimits(
        [
          { name: `plain git, ${name}`, limit: null },
          { name: `conductor run, ${name}`, limit },
        ],
        measured,
      );
    const tables = [
      await firstThatHolds(async () =>
        compare('small repository', LIMITS.small, besidePlain(roots.small, env, folder, ROUNDS.small)),
      ),
      await firstThatHolds(async () =>
        compare(`${LARGE} files`, LIMITS.large, besidePlain(roots.large, env, folder, ROUNDS.large)),
      ),
      await firstThatHolds(async () =>
        compareWithLimits(
          [
            { name: 'an agent step, no kept runs', limit: null },
            { name: `an agent step, ${KEPT_RUNS} kept runs`, limit: LIMITS.kept },
          ],
          withKeptRuns(mkdtempSync(join(folder, 'kept-')), env),
        ),
      ),
      await firstThatHolds(async () =>
        compareWithLimits(
          [
            { name: 'the first steps of a run', limit: null },
            { name: `the last of its ${MANY_STEPS} steps`, limit: LIMITS.steps },
          ],
          withinLongRun(roots.small, env),
        ),
      ),
      await firstThatHolds(async () =>
        compareWithLimits(
          [
            { name: 'a run of three steps', limit: null },
            { name: 'its trust check', limit: LIMITS.boundaries },
            { name: 'neutralising 1,000 lines', limit: LIMITS.boundaries },
          ],
          boundaryCosts(roots.small, env, ROUNDS.small),
        ),
      ),
    ];
    const objects = copiedObjects(env, roots.large);
    process.stdout.write(`${formatCounts([...counts, ...objects])}\n`);
    for (const rows of tables) process.stdout.write(`${formatTable(rows)}\n`);
    return [...counts, ...objects, ...tables.flat()].some(({ broken }) => broken) ? 1 : 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

await exitWith(main);
