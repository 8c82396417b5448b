// Repositories with real runs for everything that looks at the page: screenshots, measurements. All runs are made by the
// command line with scripted agents, so that every document is one that users get.
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { PNG } from 'pngjs';

const ROOT = join(import.meta.dirname, '..', '..');
const COMMAND = join(ROOT, 'dist', 'bin', 'conductor.js');

const LONG_TITLE = 'Add a --quiet flag to the exporter and keep its exit codes as they are!!';
/** 200 characters. */
const LONG_PATH = `src/${Array.from({ length: 11 }, (_, index) => `folder-number-${index + 10}`).join('/')}/exports.ts`;

/** The files of the repository: an agent and a harness that do what the task names. */
const AGENT = String.raw`
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
const prompt = readFileSync(0, 'utf8');
const scenario = /scenario: ([\w-]+)/.exec(prompt)?.[1] ?? 'plain';
const put = (path, text) => { mkdirSync(dirname(path), { recursive: true }); writeFileSync(path, text); };
const result = { usage: { input_tokens: 48_200, output_tokens: 3_900, cost_usd: 0.205 }, claims: ['implemented', 'tests_pass'] };
const code = (lines, name) => Array.from({ length: lines }, (_, index) => index % 9 === 0
  ? '/** Writes part ' + index + ' of the export; "quiet" prints nothing. */'
  : index % 9 === 8 ? '' : 'export const ' + name + index + ' = (rows: readonly string[]) => rows.map((row) => row.trim() + "' + index + '");').join('\n') + '\n';
if (scenario === 'big-diff') {
  put('src/exporter.ts', code(230, 'part'));
  put('src/flags.ts', readFileSync('src/flags.ts', 'utf8').replace('verbose: boolean;', 'verbose: boolean;\n  /** Prints nothing but errors. */\n  quiet: boolean;').replace('return { verbose: false };', 'return { verbose: false, quiet: false };'));
  put(${JSON.stringify(LONG_PATH)}, code(60, 'long'));
  put('test/exporter.test.ts', code(40, 'check'));
  put('package-lock.json', JSON.stringify({ lockfileVersion: 3, packages: Object.fromEntries(Array.from({ length: 300 }, (_, index) => ['node_modules/p' + index, { version: '1.0.' + index }])) }, null, 2) + '\n');
  put('docs/quiet.md', '# Quiet\n\nThe exporter prints nothing with --quiet.\n');
}
if (scenario === 'art') {
  const colours = [31, 33, 32, 36, 34, 35];
  for (let row = 0; row < 24; row += 1)
    console.log(Array.from({ length: 12 }, (_, column) => '\u001b[' + (column % 2 ? '1;' : '') + colours[(row + column) % 6] + 'm' + '▓▒░█▀▄'.charAt((row * column) % 6).repeat(4) + '\u001b[0m').join(''));
  console.log('\u001b[7mreverse\u001b[0m \u001b[4munderlined\u001b[0m \u001b[9mstruck\u001b[0m \u001b[41;97m white on red \u001b[0m');
  console.log('<script>alert(1)</script> \u202e reversed');
  put('answer.txt', 'art\n');
}
const size = Number(/size: (\d+)/.exec(prompt)?.[1] ?? '0');
if (scenario === 'large') {
  for (let file = 0; file < size; file += 1) put('src/generated/part-' + (file % 40) + '/file-' + file + '.ts', code(12, 'file' + file + 'x'));
  let text = '';
  for (let line = 1; line <= size * 100; line += 1) {
    text += 'line ' + line + ': \u001b[32mread\u001b[0m src/generated/part-' + (line % 40) + ', and nothing was wrong with it\n';
    if (text.length > 500_000) { process.stdout.write(text); text = ''; await new Promise((go) => setImmediate(go)); }
  }
  process.stdout.write(text);
}
if (scenario === 'liar') { put('answer.txt', 'wrong\n'); }
if (scenario === 'plain' || scenario === 'cases') put('answer.txt', '42\n');
if (scenario === 'live') {
  put('answer.txt', 'live\n');
  for (let line = 1; ; line += 1) { console.log('step ' + line + ': reading src/flags.ts'); await new Promise((go) => setTimeout(go, 1_000)); }
}
console.log('Quiet flag added, adjusted the help test.\nAll tests pass.');
if (process.env.CONDUCTOR_RESULT) writeFileSync(process.env.CONDUCTOR_RESULT, JSON.stringify(result));
`;

const HARNESS = String.raw`
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
const answer = existsSync('answer.txt') ? readFileSync('answer.txt', 'utf8').trim() : '?';
const many = process.argv.includes('--many');
const failsAt = (index) => answer === 'wrong' && index % 97 === 3;
const cases = Array.from({ length: many ? 3_000 : 14 }, (_, index) => ({
  id: 'exporter › writes part ' + index + ' without a trailing space, also if the row is empty',
  kind: 'unit',
  status: failsAt(index) ? 'failed' : index % 500 === 499 ? 'skipped' : 'passed',
  repro: 'node --test --test-name-pattern "part ' + index + '"',
  observations: failsAt(index) ? ['expected "a,b" to equal "a, b"\n    at test/exporter.test.ts:' + (index + 10)] : [],
  artifacts: [],
  location: 'test/exporter.test.ts',
}));
const failed = cases.filter(({ status }) => status === 'failed').length;
const passed = cases.filter(({ status }) => status === 'passed').length;
writeFileSync('harness_report.json', JSON.stringify({ suite_id: 'exporter', version: '1.0.0', generated_at: new Date().toISOString(), cases, summary: { passed, failed, flaky: 0, duration_ms: 4_210 } }));
console.log(passed + ' of ' + cases.length + ' passed');
process.exit(failed > 0 ? 1 : 0);
`;

const GOLDENS = String.raw`
import { mkdirSync, writeFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
const run = process.argv[2];
mkdirSync(join(run, 'harness'), { recursive: true });
writeFileSync(join(run, 'harness/home.png'), Buffer.from(readFileSync('new-home.txt', 'utf8'), 'base64'));
writeFileSync(join(run, 'harness/help.txt'), 'usage: export [--quiet] FILE\n\n  --quiet   prints nothing but errors\n  --help    prints this\n');
writeFileSync(join(run, 'harness/version.txt'), '2.0.0\n');
writeFileSync('harness_report.json', JSON.stringify({ suite_id: 'goldens', version: '1.0.0', generated_at: new Date().toISOString(), cases: [{ id: 'home', kind: 'web', status: 'passed', repro: 'x', observations: [], artifacts: [] }], summary: { passed: 1, failed: 0, flaky: 0, duration_ms: 12 },
  proposed_goldens: [
    { id: 'home', golden_path: 'goldens/home.png', proposed_path: 'harness/home.png', kind: 'image', pixels: 1840 },
    { id: 'help', golden_path: 'goldens/help.txt', proposed_path: 'harness/help.txt', kind: 'text' },
    { id: 'version', golden_path: 'goldens/version.txt', proposed_path: 'harness/version.txt', kind: 'text' },
  ] }));
`;

const ENDS = 'error: STOP, killed_timeout: STOP, killed_idle: STOP, killed_policy: STOP';

function implement(id, args, visits) {
  return `workflow_id: ${id}
version: 1
description: Implement a task, check it, evaluate the evidence and ask for approval.
entry_step: implement
steps:
  - id: implement
    opcode: RUN_AGENT
    agent: scripted
    prompt: task.implement.v2
    inputs: [task, fix_instructions, human_feedback]
    limits: { max_visits: ${visits} }
    routes: { completed: checks, ${ENDS} }
  - id: checks
    opcode: RUN_VALIDATION
    run:
      - { id: exporter, kind: script, entrypoint: tools/harness.mjs, args: [${args}], artifacts: [harness_report.json] }
    routes: { completed: evaluate, error: evaluate, killed_timeout: evaluate, killed_idle: evaluate, killed_policy: STOP }
  - id: evaluate
    opcode: EVALUATE
    prompt: planner.evaluate_results.v1
    allowed_next_steps: [implement, final-review]
    routes: { success: final-review, partial: implement, blocked: STOP, unsafe: STOP, needs_human: final-review }
  - id: final-review
    opcode: GATE
    gate: final review
    routes: { gate_approved: STOP, gate_rejected: implement }
`;
}

const CHECKS = Array.from({ length: 28 }, (_, index) => `checks-of-part-${index + 1}`);

const LONG_WORKFLOW = `workflow_id: long
version: 1
description: Check every part on its own.
entry_step: implement
steps:
  - id: implement
    opcode: RUN_AGENT
    agent: scripted
    prompt: task.implement.v2
    inputs: [task]
    routes: { completed: ${CHECKS[0]}, ${ENDS} }
${CHECKS.map(
  (id, index) => `  - id: ${id}
    opcode: RUN_VALIDATION
    run:
      - { id: part-${index + 1}, kind: script, entrypoint: tools/harness.mjs, artifacts: [harness_report.json] }
    routes: { completed: ${CHECKS[index + 1] ?? 'evaluate'}, error: evaluate, killed_timeout: STOP, killed_idle: STOP, killed_policy: STOP }
`,
).join('')}  - id: evaluate
    opcode: EVALUATE
    prompt: planner.evaluate_results.v1
    allowed_next_steps: [implement, final-review]
    routes: { success: final-review, partial: implement, blocked: STOP, unsafe: STOP, needs_human: final-review }
  - id: final-review
    opcode: GATE
    gate: final review
    routes: { gate_approved: STOP, gate_rejected: implement }
`;

const GOLDEN_WORKFLOW = `workflow_id: goldens
version: 1
description: Compare the pages with their goldens.
entry_step: compare
steps:
  - id: compare
    opcode: RUN_VALIDATION
    run:
      - { id: pages, kind: script, entrypoint: tools/goldens.mjs, args: ["\${run_dir}"], artifacts: [harness_report.json] }
    routes: { completed: evaluate, error: evaluate, killed_timeout: STOP, killed_idle: STOP, killed_policy: STOP }
  - id: evaluate
    opcode: EVALUATE
    prompt: planner.evaluate_harness_report.v1
    allowed_next_steps: [goldens]
    routes: { success: STOP, partial: STOP, blocked: STOP, unsafe: STOP, needs_human: goldens }
  - id: goldens
    opcode: GATE
    gate: new goldens
    routes: { gate_approved: STOP, gate_rejected: STOP }
`;

/** Makes a repository at `folder` with everything that the page has to show. Returns the ids of its runs by what they show. */
export function makeWorld(folder) {
  const { repo, home, env } = makeRepository(folder);
  const start = (workflow, scenario, title) =>
    runConductor(repo, env, 'run', workflow, '--title', title, '--input', `task=scenario: ${scenario}`);
  const runs = {
    done: start('implement', 'plain', 'Rename loadAll to loadEverything'),
    cases: start('many-cases', 'cases', 'Report every case of the exporter'),
    failed: start('many-cases', 'liar', 'Migrate settings to the new format'),
    long: start('long', 'plain', 'Make the parser accept trailing commas'),
    art: start('implement', 'art', 'Print the banner in colour'),
    goldens: start('goldens', 'plain', 'Compare the pages with their goldens'),
    gate: start('implement', 'big-diff', LONG_TITLE),
  };
  for (const id of [runs.done, runs.cases]) runConductor(repo, env, 'approve', id, '--as', 'ann', '--resume');
  return { repo, home, env, runs };
}

/** The repository with its workflows, and no run. */
export function makeRepository(folder) {
  const repo = join(folder, 'my-service');
  const home = join(folder, 'home');
  mkdirSync(home, { recursive: true });
  const env = environment(home);
  write(repo, 'tools/agent.mjs', AGENT);
  write(repo, 'tools/harness.mjs', HARNESS);
  write(repo, 'tools/goldens.mjs', GOLDENS);
  for (const tool of ['agent', 'harness', 'goldens']) chmodSync(join(repo, `tools/${tool}.mjs`), 0o755);
  write(
    repo,
    'src/flags.ts',
    'export interface Flags {\n  verbose: boolean;\n}\n\nexport function defaults(): Flags {\n  return { verbose: false };\n}\n',
  );
  write(repo, 'test/exporter.test.ts', 'export const check = 1;\n');
  write(repo, 'answer.txt', '?\n');
  write(repo, 'new-home.txt', pictureOf(64));
  write(repo, 'goldens/home.png', Buffer.from(pictureOf(24), 'base64'));
  write(repo, 'goldens/help.txt', 'usage: export FILE\n\n  --help    prints this\n');
  write(
    repo,
    '.tnh/config.yaml',
    'agents:\n  scripted: { kind: command, command: [node, tools/agent.mjs] }\nvalidators:\n  tests: { command: [node, tools/harness.mjs] }\n',
  );
  write(repo, '.tnh/workflows/implement.yaml', implement('implement', '', 3));
  write(repo, '.tnh/workflows/many-cases.yaml', implement('many-cases', '--many', 2));
  write(repo, '.tnh/workflows/long.yaml', LONG_WORKFLOW);
  write(repo, '.tnh/workflows/goldens.yaml', GOLDEN_WORKFLOW);
  initialise(repo, env);
  return { repo, home, env };
}

/** A repository whose items are in every status that needs no network: the example of work items, and some more items. */
export function makeWorkRepository(folder, env) {
  const repo = join(folder, 'shapes');
  const example = join(ROOT, 'examples', 'work-items');
  cpSync(join(example, 'agents'), join(repo, 'tools'), { recursive: true });
  write(repo, 'docs/specs/shapes.md', readFileSync(join(example, 'spec.md')));
  write(repo, '.tnh/config.yaml', readFileSync(join(example, 'config.yaml')));
  write(repo, 'package.json', '{ "type": "module" }\n');
  initialise(repo, env);
  runConductor(repo, env, 'work', 'plan');
  runConductor(repo, env, 'work', 'dispatch', '--all', '--jobs', '2');
  const later = join(folder, 'later.json');
  writeFileSync(later, JSON.stringify({ role: 'planner', create: LATER_ITEMS, close: [], update: [] }));
  runConductor(repo, env, 'work', 'apply', later);
  runConductor(repo, env, 'work', 'transition', '9', 'closed', '--reason', 'not needed any more');
  return repo;
}

const LATER_ITEMS = [
  laterItem('volume', 'Compute volumes of boxes, cylinders and cones', 'src/volume.js', 'high', []),
  laterItem('units', 'Convert between millimetres, centimetres and inches', 'src/units.js', 'medium', []),
  laterItem('parse', 'Read shapes from a file', 'src/parse.js', 'medium', ['units']),
  laterItem('print', 'Print shapes as a table that fits the terminal', 'src/print.js', 'low', [
    'parse',
    'volume',
  ]),
  laterItem('icons', 'Draw an icon for each shape', 'src/icons.js', 'low', ['print']),
  laterItem('old', 'Support shapes without sides', 'src/none.js', 'low', []),
];

function laterItem(tempID, title, file, priority, blockedBy) {
  const body = [
    `## Objective\n\n${title}.`,
    '## Spec Reference\n\n- Spec: `docs/specs/shapes.md`\n- Section(s): Functions',
    `## Scope\n\n### In Scope\n\n- ${file}\n\n### Out of Scope\n\n- docs/`,
    '## Acceptance Criteria\n\n- [ ] The function has tests\n- [ ] A negative side is an error',
    '## Context\n\nTests run with `node --test`.',
    '## Constraints\n\nNo dependencies.\n',
  ].join('\n\n');
  const labels = ['task:implement', 'status:pending', `priority:${priority}`, 'complexity:low'];
  return { tempID, title, body, labels, blockedBy };
}

/** A repository in which nothing has happened yet. */
export function makeEmptyRepository(folder, env) {
  const repo = join(folder, 'new-project');
  write(repo, 'README.md', '# New\n');
  initialise(repo, env);
  return repo;
}

function environment(home) {
  return {
    PATH: process.env.PATH,
    HOME: home,
    XDG_CONFIG_HOME: join(home, '.config'),
    LANG: 'C.UTF-8',
    GIT_CONFIG_NOSYSTEM: '1',
    CONDUCTOR_TRUST: '1',
    CONDUCTOR_SANDBOX: 'off',
  };
}

function write(root, path, content) {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

function initialise(repo, env) {
  for (const args of [
    ['init', '-q', '-b', 'main'],
    ['add', '-A'],
    ['-c', 'user.name=ann', '-c', 'user.email=ann@example.invalid', 'commit', '-qm', 'Start'],
    ['config', 'user.name', 'ann'],
    ['config', 'user.email', 'ann@example.invalid'],
  ])
    spawnSync('git', args, { cwd: repo, env, stdio: 'inherit' });
}

/** The first line that it prints: the id of a run. */
export function runConductor(repo, env, ...args) {
  const { stdout, stderr, status, error } = spawnSync(process.execPath, [COMMAND, ...args], {
    cwd: repo,
    env,
    encoding: 'utf8',
  });
  const [first = ''] = stdout.split('\n');
  if (error !== undefined || status === null || (first === '' && args[0] === 'run'))
    throw new Error(`conductor ${args.join(' ')}: ${error?.message ?? stderr}`);
  return first;
}

/** Starts a run that goes on until it is killed. */
export function startRun(repo, env, ...args) {
  return spawn(process.execPath, [COMMAND, 'run', ...args], {
    cwd: repo,
    env,
    stdio: ['ignore', 'ignore', 'ignore'],
  });
}

/** Starts the server on a free port; `pair` is the address with a one-time code. */
export async function serve(repos, env, ...more) {
  const args = [
    'serve',
    '--port',
    '0',
    '--print-code',
    ...repos.flatMap((repo) => ['--repo', repo]),
    ...more,
  ];
  const child = spawn(process.execPath, [COMMAND, ...args], {
    cwd: repos[0],
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const found = { url: null, pair: null };
  await new Promise((resolve, reject) => {
    let errors = '';
    child.once('exit', (code) => reject(new Error(`conductor serve exited with ${code}: ${errors}`)));
    const look = (line) => {
      errors += `${line}\n`;
      found.url ??= /^(http\S+)$/.exec(line)?.[1] ?? null;
      found.pair ??= /(http\S+#pair=\S+)/.exec(line)?.[1] ?? null;
      if (found.url !== null && found.pair !== null) resolve();
    };
    createInterface({ input: child.stdout }).on('line', look);
    createInterface({ input: child.stderr }).on('line', look);
  });
  return {
    ...found,
    pid: child.pid,
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await ended;
    },
  };
}

export function removeWorld(folder) {
  rmSync(folder, { recursive: true, force: true });
}

/** A small picture, in base64: a panel whose height is the argument. */
function pictureOf(panel) {
  const picture = new PNG({ width: 320, height: 200 });
  for (let y = 0; y < 200; y += 1)
    for (let x = 0; x < 320; x += 1) {
      const at = (y * 320 + x) * 4;
      const isPanel = x > 20 && x < 300 && y > 20 && y < 20 + panel;
      const isText = y > 120 && y < 180 && y % 12 < 4 && x > 20 && x < 220 - (y % 36);
      picture.data.set(isPanel ? [63, 55, 201, 255] : isText ? [90, 98, 110, 255] : [246, 247, 249, 255], at);
    }
  return PNG.sync.write(picture).toString('base64');
}
