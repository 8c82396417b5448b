// Files that are made to be hard, and slips in files that are not: no answer takes longer than a second of processor
// time, and a small heap is enough for all of them.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { HOSTILE_FILES, LARGE_FILES } from './hostile-files.mjs';
import { cpuTimeOf } from './measure.mjs';
import { createWorkflow } from './workflow-file.mjs';

const MAX_MS = 1000;
const HEAP_MEGABYTES = 256;
const LARGE_HEAP_MEGABYTES = 768;
const SEED = 20_260_101;

/** A row for each file: what it took beyond `--version`, and whether that was too long or no answer at all. */
export function measureHostile({ program, cwd, env }) {
  const start = cpuTimeOf([program, '--version'], { cwd, env }).ms;
  const measureAll = (files, heap, limit) =>
    Object.entries(files).map(([name, make]) => {
      writeFileSync(join(cwd, 'hostile.yaml'), make());
      const args = [`--max-old-space-size=${heap}`, program, 'validate', '--prove', 'hostile.yaml'];
      const { status, ms } = cpuTimeOf(args, { cwd, env });
      const answered = status === 0 || status === 2;
      return { name, ms: ms - start, status, broken: !answered || (limit !== null && ms - start > limit) };
    });
  return [
    ...measureAll(HOSTILE_FILES, HEAP_MEGABYTES, MAX_MS),
    ...measureAll(LARGE_FILES, LARGE_HEAP_MEGABYTES, null),
  ];
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
export function measureSlips({ count, cwd, root }) {
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
  const result = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    cwd,
    encoding: 'utf8',
  });
  if (result.status !== 0) throw new Error(`the slips failed: ${result.stderr.trim()}`);
  const ms = Number(result.stdout);
  return { name: `the worst of ${count} random slips`, ms, status: 2, broken: ms > MAX_MS };
}

export function formatHostile(rows) {
  const worst = rows.reduce((one, other) => (other.ms > one.ms ? other : one));
  const broken = rows
    .filter((row) => row.broken)
    .map(({ name, ms, status }) => {
      return `BROKEN ${name}: exit ${status} after ${ms.toFixed(0)} ms`;
    });
  const times = rows.map(({ name, ms }) => `  ${ms.toFixed(0).padStart(5)} ms  ${name}`);
  const head = `${rows.length} hostile inputs, at most ${MAX_MS} ms each, the longest ${worst.name}:`;
  return [head, ...times, ...broken].join('\n');
}
