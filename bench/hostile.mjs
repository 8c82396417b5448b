// Files that are made to be hard, and slips in files that are not: no answer takes longer than a second of processor
// time on a machine where a start takes 70 ms, and a small heap is enough for all of them.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { HOSTILE_FILES, LARGE_FILES } from './hostile-files.mjs';
import { cpuTimeOf, measureCpu } from './measure.mjs';
import { firstThatHolds } from './report.mjs';
import { createWorkflow } from './workflow-file.mjs';

const MAX_STARTS = 1000 / 70;
const ROUNDS_OF_START = 3;
const HEAP_MEGABYTES = 256;
const LARGE_HEAP_MEGABYTES = 768;
const SEED = 20_260_101;

/** What starting takes, of which the limits are multiples. */
export function measureStart({ program, cwd, env }) {
  const [start] = measureCpu([{ name: 'conductor --version', args: [program, '--version'] }], {
    rounds: ROUNDS_OF_START,
    cwd,
    env,
  });
  return start;
}

/** A row for each file: what it took beyond a start, and whether that was too long or no answer at all. */
export async function measureHostile({ program, cwd, env, start, slack }) {
  const measureAll = async (files, heap, limit) => {
    const rows = [];
    for (const [name, make] of Object.entries(files)) {
      writeFileSync(join(cwd, 'hostile.yaml'), make());
      const args = [`--max-old-space-size=${heap}`, program, 'validate', '--prove', 'hostile.yaml'];
      const attempt = () => [{ name, ...checkAnswer(cpuTimeOf(args, { cwd, env }), { start, limit }) }];
      rows.push(...(await firstThatHolds(attempt)));
    }
    return rows;
  };
  return [
    ...(await measureAll(HOSTILE_FILES, HEAP_MEGABYTES, MAX_STARTS * start * slack)),
    ...(await measureAll(LARGE_FILES, LARGE_HEAP_MEGABYTES, Number.POSITIVE_INFINITY)),
  ];
}

function checkAnswer({ status, ms }, { start, limit }) {
  const answered = status === 0 || status === 2;
  return { status, ms: ms - start, broken: !answered || ms - start > limit };
}

/** Pieces that mean something in YAML or in a workflow. */
const PIECES = [
  '[',
  ']',
  '{',
  '}',
  ': ',
  '- ',
  '\n',
  '\r',
  '\t',
  '"',
  "'",
  '&a ',
  '*a',
  '<<: ',
  '|\n',
  '# ',
  '? ',
  '!!',
];

const slip = fc.oneof(
  fc.record({ kind: fc.constant('cut'), at: fc.nat(), length: fc.nat({ max: 2000 }) }),
  fc.record({ kind: fc.constant('put'), at: fc.nat(), text: fc.constantFrom(...PIECES) }),
  fc.record({
    kind: fc.constant('repeat'),
    at: fc.nat(),
    length: fc.nat({ max: 300 }),
    times: fc.nat({ max: 50 }),
  }),
);

function applySlip(text, change) {
  const at = change.at % text.length;
  switch (change.kind) {
    case 'cut':
      return text.slice(0, at) + text.slice(at + change.length);
    case 'put':
      return text.slice(0, at) + change.text + text.slice(at);
    default:
      return text.slice(0, at) + text.slice(at, at + change.length).repeat(change.times) + text.slice(at);
  }
}

/** A thousand steps with random slips, one batch in one process; the worst of them decides. */
export function measureSlips({ count, cwd, root, start, slack }) {
  const text = createWorkflow(200);
  const batch = fc
    .sample(fc.array(slip, { minLength: 1, maxLength: 4 }), { seed: SEED, numRuns: count })
    .map((slips) => slips.reduce(applySlip, text));
  writeFileSync(join(cwd, 'slips.json'), JSON.stringify(batch));
  const checker = pathToFileURL(join(root, 'dist', 'src', 'workflow', 'check-workflow.js'));
  const script = `import { readFileSync } from 'node:fs';
import { checkWorkflow } from ${JSON.stringify(checker.href)};
const context = { defaults: { timeoutMs: 1800000, idleTimeoutMs: 300000, maxVisits: 10 }, names: null, inputs: null };
let worst = 0;
for (const text of JSON.parse(readFileSync('slips.json', 'utf8'))) {
  const before = process.cpuUsage();
  checkWorkflow({ name: 'slip.yaml', bytes: Buffer.from(text) }, context);
  const { user, system } = process.cpuUsage(before);
  worst = Math.max(worst, (user + system) / 1000);
}
process.stdout.write(String(worst));`;
  return firstThatHolds(() => {
    const result = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      cwd,
      encoding: 'utf8',
    });
    if (result.status !== 0) throw new Error(`the slips failed: ${result.stderr.trim()}`);
    const ms = Number(result.stdout);
    const broken = ms > MAX_STARTS * start * slack;
    return [{ name: `the worst of ${count} random slips`, ms, status: 2, broken }];
  });
}

export function formatHostile(rows, { start, slack }) {
  const worst = rows.reduce((one, other) => (other.ms > one.ms ? other : one));
  const broken = rows
    .filter((row) => row.broken)
    .map(({ name, ms, status }) => {
      return `BROKEN ${name}: exit ${status} after ${ms.toFixed(0)} ms`;
    });
  const times = rows.map(({ name, ms }) => `  ${ms.toFixed(0).padStart(5)} ms  ${name}`);
  const limit = (MAX_STARTS * start * slack).toFixed(0);
  const head = `${rows.length} hostile inputs, at most ${limit} ms each where a start takes ${start.toFixed(0)} ms, the longest ${worst.name}:`;
  return [head, ...times, ...broken].join('\n');
}
