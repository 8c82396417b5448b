// From a spec to merged branches, in a temporary repository: node examples/work-items/run.mjs
// CONDUCTOR names the command (default: the one built in this clone); KEEP=DIR creates the repository in DIR and keeps it.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const here = import.meta.dirname;
const command = process.env.CONDUCTOR ?? join(here, '../../dist/bin/conductor.js');
const kept = process.env.KEEP;
const root = kept ?? mkdtempSync(join(tmpdir(), 'conductor-example-'));
mkdirSync(root, { recursive: true });

const say = (text) => console.log(`\n# ${text}`);
const git = (...args) => execFileSync('git', args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });

function write(path, text) {
  const file = join(root, path);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, text);
}

/** Runs a command, and ends the example if its exit code is not the expected one. */
function conductor(expected, ...args) {
  console.log(`$ conductor ${args.join(' ')}`);
  const { status, stdout, stderr } = spawnSync(process.execPath, [command, ...args], {
    cwd: root,
    encoding: 'utf8',
    // This example wrote the repository's files itself.
    env: { ...process.env, CONDUCTOR_TRUST: '1' },
  });
  process.stdout.write(`${stderr}${stdout}`);
  if (status !== expected)
    throw new Error(`conductor ${args.join(' ')} exited ${status} and not ${expected}`);
}

try {
  git('init', '--quiet', '--initial-branch=main');
  git('config', 'user.name', 'Ann');
  git('config', 'user.email', 'ann@example.invalid');
  cpSync(join(here, 'agents'), join(root, 'tools'), { recursive: true });
  cpSync(join(here, 'spec.md'), join(root, 'docs/specs/shapes.md'));
  cpSync(join(here, 'config.yaml'), join(root, '.tnh/config.yaml'));
  write('package.json', '{ "type": "module" }\n');
  git('add', '--all');
  git('commit', '--quiet', '--message=A spec');

  say('The planner turns the approved spec into three items; the page waits for both functions.');
  conductor(0, 'work', 'plan');
  conductor(0, 'work', 'list');

  say(
    'Two items are worked on side by side. The review rejects one, and its implementor fixes what was found. The other has a question.',
  );
  conductor(3, 'work', 'dispatch', '--all', '--jobs', '2');
  conductor(0, 'work', 'list');
  conductor(0, 'work', 'show', '2');

  say('The user answers the question in the repository, and returns the item to pending.');
  write('docs/units.md', '# Units\n\nSides are in millimetres.\n');
  git('add', '--all');
  git('commit', '--quiet', '--message=Sides are in millimetres');
  conductor(0, 'work', 'transition', '2', 'pending', '--reason', 'docs/units.md says it now');

  say('Once both are approved, the page can start.');
  conductor(0, 'work', 'dispatch', '--all', '--jobs', '2');

  say('The user merges.');
  for (const id of ['1', '2', '3']) conductor(0, 'work', 'merge', id);
  conductor(0, 'work', 'list');
  console.log(execFileSync('git', ['log', '--oneline', '--graph', 'main'], { cwd: root, encoding: 'utf8' }));
} finally {
  if (kept === undefined) rmSync(root, { recursive: true, force: true });
}
