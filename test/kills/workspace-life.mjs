// Performs actions on the workspace of a run, one after the other, in its own process. It can be made to kill itself at
// any of its boundaries: before it changes a file or starts git, while git works, and in the middle of writing a file.
import childProcess from 'node:child_process';
import { writeFileSync } from 'node:fs';
import fsp from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';

const { places, acts, killAt, variant, orphanFile, run: request } = JSON.parse(process.env.KILLED_PROCESS);
const dist = join(import.meta.dirname, '../../dist/src/adapters/workspace');
let counting = false;
const boundaries = [];

/** True at the boundary where the process has to die. */
function isDue(kind) {
  if (!counting) return false;
  boundaries.push(kind);
  return boundaries.length === killAt;
}

function die() {
  process.kill(process.pid, 'SIGKILL');
  for (;;);
}

const CHANGES = [
  'appendFile',
  'chmod',
  'copyFile',
  'mkdir',
  'mkdtemp',
  'rename',
  'rm',
  'rmdir',
  'symlink',
  'unlink',
  'utimes',
];
for (const name of CHANGES) {
  const inner = fsp[name];
  fsp[name] = (...args) => {
    if (isDue(name)) die();
    return inner(...args);
  };
}
const { writeFile } = fsp;
fsp.writeFile = (path, data, options) => {
  if (isDue('writeFile')) {
    if (variant === 'torn') writeFileSync(path, Buffer.from(data).subarray(0, Math.floor(data.length / 2)));
    die();
  }
  return writeFile(path, data, options);
};
const { spawn } = childProcess;
childProcess.spawn = (program, argv, options) => {
  const due = isDue('git');
  if (due && variant !== 'orphan') die();
  const child = spawn(program, argv, options);
  if (due) {
    // Git continues when its conductor is dead. Its input is complete at once.
    const { end } = child.stdin;
    child.stdin.end = (...args) => {
      end.call(child.stdin, ...args, () => {
        writeFileSync(orphanFile, String(child.pid));
        die();
      });
    };
  }
  return child;
};
syncBuiltinESMExports();

const { createGitWorkspace } = await import(join(dist, 'git-workspace.js'));
const { createGitUpkeep } = await import(join(dist, 'result/git-upkeep.js'));
const workspaces = createGitWorkspace({ ...places, ownedPaths: [] });
const upkeep = createGitUpkeep({ ...places, linkedWorktreesDir: '/nonexistent' });
const run = workspaces.describe(request);
const inWork = (name) => join(run.checkoutPath, name);
const plainGit = (...args) =>
  childProcess.execFileSync('git', args, { cwd: run.checkoutPath, encoding: 'utf8', stdio: 'pipe' });
let snapshot = null;

const ACTS = {
  create: () => workspaces.create(run),
  reopen: () => workspaces.reopen(run, null),
  snapshot: async () => {
    snapshot = await workspaces.snapshot(run, 'one');
  },
  openJudge: () => workspaces.openJudge(run, { snapshot, asAtBase: (path) => path === 'src/old.ts' }),
  publish: () => workspaces.publish(run, { tree: snapshot.tree, message: 'work\n' }),
  restore: () => workspaces.restore(run, { kind: 'base' }, 'a@1'),
  removeWorkspace: () => upkeep.removeWorkspace(run),
  removeRefs: () => upkeep.removeRefs(run),
  // What an agent does.
  change: async () => {
    await fsp.mkdir(inWork('new'), { recursive: true });
    await writeFile(inWork('new/file.txt'), 'new\n');
    await writeFile(inWork('README.md'), 'changed\n');
    await writeFile(inWork('src/old.ts'), 'changed\n');
    await writeFile(inWork('debug.log'), 'ignored\n');
    await fsp.rm(inWork('src/app.ts'), { force: true });
  },
  changeMore: () => writeFile(inWork('README.md'), 'changed again\n'),
  commit: async () => {
    plainGit('add', '--all');
    plainGit('commit', '--quiet', '--message=agent');
  },
  // What validators leave behind.
  litter: async () => {
    await fsp.mkdir(join(run.judgePath, 'coverage'), { recursive: true });
    await writeFile(join(run.judgePath, 'coverage/report.txt'), 'x\n');
    await writeFile(join(run.judgePath, 'README.md'), 'formatted\n');
    await fsp.rm(join(run.judgePath, 'src'), { recursive: true, force: true });
  },
};

const results = {};
for (const act of acts) {
  // A dot marks the act that may be killed.
  counting = act.startsWith('.');
  const name = act.replace(/^\./, '');
  results[name] = (await ACTS[name]()) ?? null;
  counting = false;
}
console.log(JSON.stringify({ boundaries, results }));
