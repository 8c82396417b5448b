// How much memory the conductor takes while an agent prints a lot. Exits 1 when a limit is broken, 2 when nothing could
// be measured. `--short` has less printed.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exitWith } from './outcome.mjs';
import { align } from './report.mjs';

const MEGABYTES = process.argv.includes('--short') ? 64 : 1024;
const LIMIT_MEGABYTES = 150;
const SAMPLE_MS = 20;
const PROGRAM = join(import.meta.dirname, '..', 'dist', 'bin', 'conductor.js');

/** What is printed, as a shell says it: short lines, one line without end, what is no text, and what looks like keys. */
const OUTPUTS = {
  'short lines': `yes 'a line of output as tools print them' | head -c ${MEGABYTES}M`,
  'one line': `head -c ${MEGABYTES}M /dev/zero | tr '\\0' x`,
  'zero bytes': `head -c ${MEGABYTES}M /dev/zero`,
  'keys without end': `yes -- "$(printf '%s%s' '-----BEGIN ' 'PRIVATE KEY-----')" | head -c ${MEGABYTES}M`,
};

const WORKFLOW = `workflow_id: loud
version: 1
description: An agent that prints.
entry_step: print
steps:
  - id: print
    opcode: RUN_AGENT
    agent: loud
    prompt: Print a lot.
    routes: { completed: STOP, error: STOP, killed_timeout: STOP, killed_idle: STOP, killed_policy: STOP }
`;

function makeRepository(folder, command, env) {
  mkdirSync(join(folder, '.tnh'), { recursive: true });
  const agent = `{ kind: command, command: [sh, -c, ${JSON.stringify(command)}] }`;
  writeFileSync(join(folder, '.tnh', 'config.yaml'), `agents:\n  loud: ${agent}\n`);
  writeFileSync(join(folder, 'loud.yaml'), WORKFLOW);
  const identity = ['-c', 'user.name=bench', '-c', 'user.email=bench@localhost'];
  for (const args of [
    ['init', '--quiet'],
    ['add', '.'],
    [...identity, 'commit', '--quiet', '-m', 'start'],
  ]) {
    const git = spawnSync('git', args, { cwd: folder, env, encoding: 'utf8' });
    if (git.status !== 0) throw new Error(`git failed: ${git.error?.message ?? git.stderr.trim()}`);
  }
}

/** The highest it ever was, as the kernel keeps it; null once the process is gone. */
function peakOf(pid) {
  try {
    const found = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
    return found === null ? null : Number(found[1]) / 1024;
  } catch {
    return null;
  }
}

function measure(folder, env) {
  return new Promise((settle, fail) => {
    const start = performance.now();
    const child = spawn(process.execPath, [PROGRAM, 'run', 'loud.yaml'], {
      cwd: folder,
      env,
      stdio: 'ignore',
    });
    let peak = 0;
    const sampling = setInterval(() => {
      peak = Math.max(peak, peakOf(child.pid) ?? 0);
    }, SAMPLE_MS);
    child.once('error', fail);
    child.once('exit', (status) => {
      clearInterval(sampling);
      settle({ status, peak, seconds: (performance.now() - start) / 1000 });
    });
  });
}

async function main() {
  if (process.platform !== 'linux') throw new Error('memory is only measured on Linux');
  if (!existsSync(PROGRAM)) throw new Error('dist/bin/conductor.js is not built; npm run setup builds it');
  const rows = [];
  for (const [name, command] of Object.entries(OUTPUTS)) {
    const folder = mkdtempSync(join(tmpdir(), 'conductor-bench-'));
    try {
      const env = { PATH: process.env.PATH, HOME: folder, CONDUCTOR_TRUST: '1' };
      const repo = join(folder, 'repo');
      makeRepository(repo, command, env);
      const { status, peak, seconds } = await measure(repo, env);
      if (peak === 0) throw new Error(`nothing was measured with ${name}`);
      // An agent that only prints has changed nothing: nobody confirms it, and nothing failed.
      rows.push({ name, peak, seconds, broken: peak > LIMIT_MEGABYTES || (status !== 0 && status !== 7) });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  const table = rows.map(({ name, peak, seconds, broken }) => [
    name,
    `${peak.toFixed(0)} MB`,
    `${seconds.toFixed(1)} s`,
    broken ? `broken: above ${LIMIT_MEGABYTES} MB, or the run failed` : 'holds',
  ]);
  process.stdout.write(`${align([[`${MEGABYTES} MB of`, 'peak memory', 'time', ''], ...table])}\n`);
  return rows.some(({ broken }) => broken) ? 1 : 0;
}

await exitWith(main);
