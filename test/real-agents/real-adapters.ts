import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createClaudeCodeAgent } from '../../src/adapters/agents/claude-code.ts';
import { createCodexAgent } from '../../src/adapters/agents/codex.ts';
import { resolveProgram } from '../../src/adapters/process/program.ts';
import { createSupervisor } from '../../src/adapters/process/supervisor.ts';
import { assemblePolicy } from '../../src/policy/assemble.ts';
import type { Agent, AgentRequest } from '../../src/ports/agent.ts';
import { AGENTS_BIN, claudeEnvironment, codexArguments } from './real-agents.ts';

export const REAL_KINDS = ['claude-code', 'codex'] as const;
export type RealKind = (typeof REAL_KINDS)[number];

/** No real key: only something that must not turn up in any file. */
export const AGENT_KEY = 'key-of-a-test-0123456789';

const CONDUCTOR = fileURLToPath(new URL('../../dist/bin/conductor.js', import.meta.url));

/** The adapter with the real program behind it, which asks the model at this address. */
export function createRealAgent(kind: RealKind, url: string, home: string): Agent {
  const common = {
    supervisor: createSupervisor(),
    resolveProgram,
    searchPath: process.env.PATH,
    captureLimitBytes: 16 * 1024 * 1024,
    graceMs: 2_000,
    secrets: [],
    home,
    configDir: undefined,
  };
  const program = (name: string) => join(AGENTS_BIN ?? '', name);
  if (kind === 'codex')
    return createCodexAgent({
      ...common,
      command: [program('codex'), ...codexArguments(url)],
      model: 'gpt-5.5',
    });
  const hook = [process.execPath, CONDUCTOR, 'hook', 'command'] as const;
  return createClaudeCodeAgent({ ...common, command: [program('claude')], model: null, hook });
}

/** What their programs get of the environment; both ask once and no more. */
function realEnvironment(kind: RealKind, url: string, home: string): Record<string, string> {
  if (kind === 'claude-code') return claudeEnvironment(url, home);
  // Codex can't sandbox its tools if its home is in the folder for temporary files.
  const temporary = join(home, 'tmp');
  mkdirSync(temporary, { recursive: true });
  return { PATH: process.env.PATH ?? '', HOME: home, TMPDIR: temporary, SCRIPTED_KEY: AGENT_KEY };
}

let starts = 0;

/** A request for a place of its own below a folder. */
export function realRequest(
  kind: RealKind,
  url: string,
  folder: string,
  change: Partial<AgentRequest> = {},
): AgentRequest {
  starts += 1;
  const place = join(folder, `${kind}-${starts}`);
  const [checkoutPath, home] = [join(place, 'work'), join(place, 'home')];
  for (const path of [checkoutPath, home]) mkdirSync(path, { recursive: true });
  const runId = `real-${process.pid}-${starts}`;
  return {
    runId,
    stepId: 'implement',
    attempt: 1,
    visit: 1,
    prompt: 'go\n',
    checkoutPath,
    runDir: join(place, 'run'),
    inputs: {},
    evidenceDir: join(place, 'run', 'artifacts', 'implement'),
    confinement: null,
    policy: assemblePolicy([{ source: 'step', policy: { forbidden_operations: ['commit', 'push'] } }]),
    env: realEnvironment(kind, url, home),
    timeoutMs: 60_000,
    idleTimeoutMs: 60_000,
    mark: `${runId}/implement@1`,
    signal: new AbortController().signal,
    onStop: () => Promise.resolve(),
    onLine: () => undefined,
    ...change,
  };
}

export function homeOf({ checkoutPath }: AgentRequest): string {
  return join(dirname(checkoutPath), 'home');
}
