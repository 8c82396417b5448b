// Changes the planner and the kernel in thousands of small ways and checks that a test notices each; see docs/internals/mutation.md.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { figuresOf, renderRows, scoreOf, sumOf, tableOf, writeTable } from './mutation-figures.mjs';

const USAGE = `npm run mutation -- [--only FILE]

  --only FILE  the mutants of this file alone; the page keeps its figures
`;

const FOLDERS = ['src/planner', 'src/kernel'];
const LEAST_SCORE = 85;

const root = join(import.meta.dirname, '..');
const place = join(root, 'mutation');

const { values } = parseArgs({
  options: { only: { type: 'string' }, help: { type: 'boolean', default: false } },
});
if (values.help) {
  process.stdout.write(USAGE);
  process.exit(0);
}
const folderOf = (file) => FOLDERS.find((folder) => file.startsWith(`${folder}/`));
if (values.only !== undefined && folderOf(values.only) === undefined) {
  process.stderr.write(`${values.only} is not a file of ${FOLDERS.join(' or ')}\n\n${USAGE}`);
  process.exit(2);
}

function run(command, args, options) {
  const { status } = spawnSync(command, args, { stdio: 'inherit', ...options });
  if (status !== 0) process.exit(status ?? 1);
}

function mutate(folder, files) {
  const stryker = join(place, 'node_modules', '@stryker-mutator', 'core', 'bin', 'stryker.js');
  const name = basename(folder);
  const args = [stryker, 'run', join('mutation', 'stryker.config.json'), '--mutate', files];
  // The tests of the other folder are not run, and what they once killed would be forgotten in one file.
  args.push('--incrementalFile', join('mutation', `incremental-${name}.json`));
  run(process.execPath, args, { cwd: root, env: { ...process.env, MUTATION_FOLDER: name } });
  const report = JSON.parse(readFileSync(join(place, 'report.json'), 'utf8'));
  const named = Object.entries(report.files).filter(([path]) => path.startsWith(values.only ?? folder));
  return { folder, figures: figuresOf([{ files: Object.fromEntries(named) }]) };
}

if (!existsSync(join(place, 'node_modules'))) run('npm', ['ci'], { cwd: place });
const folders = values.only === undefined ? FOLDERS : [folderOf(values.only)];
const results = folders.map((folder) => mutate(folder, values.only ?? `${folder}/**/*.ts`));

process.stdout.write(`\n${tableOf(results)}\n`);
// The page has the sums only: names of files would be wrong after the next rename.
const sums = results.map(({ folder, figures }) => sumOf(figures, `\`${folder}\``));
if (values.only === undefined) writeTable(join(root, 'docs', 'internals', 'mutation.md'), renderRows(sums));
const low = results.filter(({ folder, figures }) => scoreOf(sumOf(figures, folder)) < LEAST_SCORE);
for (const { folder } of low)
  process.stderr.write(`less than ${LEAST_SCORE} % of the mutants of ${folder} were killed\n`);
process.exit(low.length === 0 ? 0 : 1);
