// Installs the agents that test/real-agents drives against a scripted model. Nothing else installs them: they are large,
// and without them that suite is skipped. With --acp also those that are driven by the Agent Client Protocol.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(import.meta.dirname, '..', 'test', 'real-agents');

install(folder, ['claude', 'codex'], process.env.CONDUCTOR_REAL_AGENTS);
if (process.argv.includes('--acp'))
  install(
    join(folder, 'acp'),
    ['claude-agent-acp', 'copilot', 'gemini', 'opencode', 'qwen'],
    process.env.CONDUCTOR_REAL_ACP_AGENTS,
  );

function install(place, names, elsewhere) {
  const programs = names.map((name) => join(place, 'node_modules', '.bin', name));
  if (elsewhere !== undefined) process.stdout.write(`${names.join(', ')}: taken from ${elsewhere}\n`);
  else if (programs.every((program) => existsSync(program)))
    process.stdout.write(`${names.join(', ')}: there\n`);
  else {
    process.stdout.write(`${names.join(', ')}: installing (once) …\n`);
    const { status } = spawnSync('npm', ['ci', '--loglevel=error'], { cwd: place, stdio: 'inherit' });
    if (status !== 0) process.exitCode = status ?? 1;
  }
}
