// Repositories and workflows that the bench of the workspace measures with.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FILES_PER_FOLDER = 100;

const CONFIG = `agents:
  writer: { kind: command, command: [sh, agent.sh] }
validators:
  tests: { command: [grep, -q, done, work.txt] }
sandbox: off
`;

const AGENT_ROUTES = 'error: STOP, killed_timeout: STOP, killed_idle: STOP, killed_policy: STOP';

/** A workflow of so many agent and validation steps, and an evaluation at the end. */
export function workflow(agents, validations) {
  const steps = [
    ...Array.from({ length: agents }, (_, at) => ({ id: `work${at}`, kind: 'agent' })),
    ...Array.from({ length: validations }, (_, at) => ({ id: `check${at}`, kind: 'validation' })),
    { id: 'evaluate', kind: 'evaluation' },
  ];
  const lines = steps.map(({ id, kind }, at) => {
    const next = steps[at + 1]?.id ?? 'STOP';
    const routes = `routes: { completed: ${next}, ${AGENT_ROUTES} }`;
    if (kind === 'agent')
      return `  - { id: ${id}, opcode: RUN_AGENT, agent: writer, prompt: Do the work., ${routes} }`;
    if (kind === 'validation') return `  - { id: ${id}, opcode: RUN_VALIDATION, run: [tests], ${routes} }`;
    const all = ['success', 'partial', 'blocked', 'unsafe', 'needs_human'].map((each) => `${each}: STOP`);
    return `  - { id: ${id}, opcode: EVALUATE, prompt: planner.evaluate_results.v1, allowed_next_steps: [STOP], routes: { ${all.join(', ')} } }`;
  });
  return `workflow_id: bench
version: 1
description: Trivial steps.
entry_step: ${steps[0].id}
steps:
${lines.join('\n')}
`;
}

/** The same work with plain git: two checkouts, agent, diff, check, commit, fetch. */
const PLAIN = `set -e
t=$(mktemp -d "$1/plain.XXXXXX")
git clone -q --shared . "$t/work"
git clone -q --shared . "$t/judge"
cd "$t/work"
sh agent.sh
git add -A
git diff --cached > "$t/change.patch"
cd "$t/judge"
git apply "$t/change.patch"
grep -q done work.txt
cd "$t/work"
git -c user.name=a -c user.email=a@b commit -q -m result
cd "$2"
git fetch -q "$t/work" HEAD:refs/heads/plain/$(basename "$t")
`;

export function git(cwd, ...args) {
  const result = spawnSync('git', args, { cwd, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  if (result.status !== 0)
    throw new Error(`git ${args[0]} failed: ${result.error?.message ?? result.stderr}`);
  return result.stdout.trim();
}

/** A repository of so many files, besides the few that the workflow needs. */
export function makeRepository(root, files) {
  mkdirSync(join(root, '.tnh'), { recursive: true });
  for (let at = 0; at < files; at += 1) {
    const folder = Math.floor(at / FILES_PER_FOLDER);
    const path = join(root, 'src', `part-${folder % 20}`, `folder-${folder}`);
    if (at % FILES_PER_FOLDER === 0) mkdirSync(path, { recursive: true });
    writeFileSync(join(path, `file-${at}.ts`), `export const value${at} = ${at};\n`.repeat(10));
  }
  writeFileSync(join(root, '.tnh', 'config.yaml'), CONFIG);
  writeFileSync(join(root, '.tnh', '.gitignore'), '/run/\n');
  writeFileSync(join(root, 'work.txt'), 'todo\n');
  writeFileSync(join(root, 'agent.sh'), 'echo done >> work.txt\n');
  git(root, 'init', '--quiet', '--initial-branch=main');
  git(root, 'add', '--all');
  git(root, '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '--quiet', '--message=start');
}

/** Without the configuration of the person who measures. */
export function environment(folder) {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(?:CONDUCTOR_|GIT_|XDG_)/.test(name));
  return { ...Object.fromEntries(inherited), HOME: folder, NO_COLOR: '1', CONDUCTOR_TRUST: '1' };
}

export function writePlainScript(folder) {
  const path = join(folder, 'plain.sh');
  writeFileSync(path, PLAIN);
  return path;
}

/** A `git` that counts itself and every git process that it starts, such as those of a fetch. */
export function makeCounter(folder) {
  const real = spawnSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).stdout.trim();
  const bin = join(folder, 'counting');
  const trace = join(folder, 'git-trace');
  mkdirSync(bin);
  writeFileSync(join(bin, 'git'), `#!/bin/sh\nGIT_TRACE2_EVENT='${trace}' exec '${real}' "$@"\n`);
  chmodSync(join(bin, 'git'), 0o755);
  return {
    path: bin,
    take: () => {
      const lines = readFileSync(trace, 'utf8').split('\n');
      rmSync(trace);
      return lines.filter((line) => line.startsWith('{"event":"start"')).length;
    },
  };
}
