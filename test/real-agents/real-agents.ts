import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';

const INSTALLED = join(import.meta.dirname, 'node_modules');

/** Where the programs of the agents are; null if they are not installed. */
export const AGENTS_BIN = findAgents();

if (AGENTS_BIN === null)
  process.stderr.write('tests of real agents are left out: node scripts/install-agents.mjs installs them\n');

/** `npm run agents:real` sets it; without it this is the short form. */
export const IS_WHOLE = process.env.REAL_AGENTS_ALL !== undefined;

function findAgents(): string | null {
  const given = process.env.CONDUCTOR_REAL_AGENTS;
  const bin = join(given === undefined ? INSTALLED : resolve(given), '.bin');
  return ['claude', 'codex'].every((name) => existsSync(join(bin, name))) ? bin : null;
}

/** What Claude Code needs to ask a server on loopback, and no other. */
export function claudeEnvironment(url: string, home: string): Record<string, string> {
  return {
    PATH: process.env.PATH ?? '',
    HOME: home,
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: 'key-of-a-test-0123456789',
    CLAUDE_CODE_MAX_RETRIES: '0',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
  };
}

/** Arguments that make Codex ask a server on loopback. */
export function codexArguments(url: string): string[] {
  const provider = {
    name: 'scripted',
    base_url: `${url}/v1`,
    wire_api: 'responses',
    env_key: 'SCRIPTED_KEY',
  };
  const fields = Object.entries(provider).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  const table = `{${[...fields, 'request_max_retries=0', 'stream_max_retries=0'].join(',')}}`;
  return ['-c', 'model_provider=scripted', '-c', `model_providers.scripted=${table}`];
}
