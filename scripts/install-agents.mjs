// Installs the agents that test/real-agents drives against a scripted model. Nothing else installs them: they are large,
// and without them that suite is skipped.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(import.meta.dirname, '..', 'test', 'real-agents');
const programs = ['claude', 'codex'].map((name) => join(folder, 'node_modules', '.bin', name));
const elsewhere = process.env.CONDUCTOR_REAL_AGENTS;

if (elsewhere !== undefined) process.stdout.write(`the agents are taken from ${elsewhere}\n`);
else if (programs.every((program) => existsSync(program))) process.stdout.write('the agents are there\n');
else {
  process.stdout.write('installing the agents (once) …\n');
  const { status } = spawnSync('npm', ['ci', '--loglevel=error'], { cwd: folder, stdio: 'inherit' });
  process.exitCode = status ?? 1;
}
