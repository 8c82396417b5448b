import { randomBytes } from 'node:crypto';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { createAcpAgent } from '../adapters/agents/acp.ts';
import { createProgramFinder } from '../adapters/agents/agent-program.ts';
import { createClaudeCodeAgent } from '../adapters/agents/claude-code.ts';
import { createCodexAgent } from '../adapters/agents/codex.ts';
import { type CommandAgentDeps, createCommandAgent } from '../adapters/agents/command-agent.ts';
import { createReplayAgent } from '../adapters/agents/replay-agent.ts';
import { resolveProgram } from '../adapters/process/program.ts';
import { makeTemporaryCheckout } from '../adapters/workspace/temporary-repository.ts';
import type { TrialDeps } from '../app/try-agent.ts';
import type { AgentConfig, Config } from '../contracts/config/config.ts';
import { AGENT_RETRIES } from '../contracts/config/config-defaults.ts';
import { ownValue } from '../contracts/own-value.ts';
import { pickVariables } from '../policy/environment.ts';
import type { Agent } from '../ports/agent.ts';
import type { RunStore } from '../ports/run-store.ts';
import type { Confinement } from '../ports/sandbox.ts';
import type { AgentSettings, RunDeps } from '../runtime/run-context.ts';
import type { Configured } from './open.ts';

interface AgentDeps extends Omit<CommandAgentDeps, 'command'> {
  /** Where recorded runs are, for agents that answer from one. */
  readonly store: RunStore;
  /** Values that are masked in everything that is stored. */
  readonly secrets: readonly string[];
  /** The conductor executable, which Claude Code calls as a hook before each tool. */
  readonly conductorBin: string;
  /** Branches that no agent may move; enforced for agents that ask for permission. */
  readonly protectedBranches: readonly string[];
}

type ProgramConfig = Exclude<AgentConfig, { kind: 'replay' }>;

/** Variables that pass a login, a provider or a path to an agent's program. Each reaches only agents of its kind. */
const OWN_VARIABLES: Readonly<Record<ProgramConfig['kind'], readonly string[]>> = {
  'claude-code': [
    'ANTHROPIC_API_KEY',
    'ANTHROPIC_AUTH_TOKEN',
    'ANTHROPIC_BASE_URL',
    'ANTHROPIC_MODEL',
    'ANTHROPIC_CUSTOM_HEADERS',
    'API_TIMEOUT_MS',
    'CLAUDE_CODE_MAX_RETRIES',
    'CLAUDE_CODE_OAUTH_TOKEN',
    'CLAUDE_CONFIG_DIR',
  ],
  codex: ['CODEX_API_KEY', 'CODEX_HOME', 'OPENAI_API_KEY', 'OPENAI_BASE_URL'],
  acp: [],
  command: [],
};

/** Creates agents by name; null if no agent of this name is configured. */
export function createAgents(
  config: Config,
  deps: AgentDeps,
  env: NodeJS.ProcessEnv,
): (name: string) => Agent | null {
  return (name) => {
    const agent = ownValue(config.agents, name);
    if (agent === undefined) return null;
    return agent.kind === 'replay'
      ? createReplayAgent({ ...deps, run: agent.run })
      : withReach(createProgram(agent, deps, env), agent, env);
  };
}

function createProgram(agent: ProgramConfig, deps: AgentDeps, env: NodeJS.ProcessEnv): Agent {
  const [program = '', ...args] = typeof agent.command === 'string' ? [agent.command] : agent.command;
  const command = [program, ...args] as const;
  const home = env.HOME ?? homedir();
  switch (agent.kind) {
    case 'command':
      return createCommandAgent({ ...deps, command });
    case 'claude-code':
      return createClaudeCodeAgent({
        ...deps,
        command,
        model: agent.model,
        maxTurns: agent.max_turns ?? null,
        hook: [process.execPath, deps.conductorBin, 'hook', 'command'],
        home,
        configDir: env.CLAUDE_CONFIG_DIR,
      });
    case 'codex':
      return createCodexAgent({ ...deps, command, model: agent.model, home, configDir: env.CODEX_HOME });
    case 'acp':
      return createAcpAgent({ ...deps, command, model: agent.model });
  }
}

/** Gives an agent the variables and paths that its kind and its configuration ask for. */
function withReach(agent: Agent, config: ProgramConfig, env: NodeJS.ProcessEnv): Agent {
  const declared = pickVariables(env, [...OWN_VARIABLES[config.kind], ...config.env]);
  return {
    ...agent,
    run: (request) =>
      agent.run({
        ...request,
        env: { ...request.env, ...declared },
        confinement: widenConfinement(request.confinement, config, env.HOME ?? homedir()),
      }),
  };
}

function widenConfinement(
  confinement: Confinement | null,
  { sees = [], writes = [] }: ProgramConfig,
  home: string,
): Confinement | null {
  if (confinement === null) return null;
  const inHome = (path: string): string => resolve(home, path.replace(/^~\//, ''));
  return {
    ...confinement,
    readable: [...confinement.readable, ...sees.map(inHome)],
    writable: [...confinement.writable, ...writes.map(inHome)],
  };
}

/** Retries, credential and price of an agent, from the configuration. */
export function createAgentSettings(config: Config, env: NodeJS.ProcessEnv): (name: string) => AgentSettings {
  return (name) => {
    const agent = ownValue(config.agents, name);
    // A replay repeats its recorded outcome at no cost, so a retry is useless.
    if (agent === undefined || agent.kind === 'replay') return { retries: 0, credential: null, price: null };
    const model = 'model' in agent ? agent.model : null;
    return {
      retries: agent.retries ?? AGENT_RETRIES,
      credential: credentialOf(agent, env),
      price:
        (model === null ? null : ownValue(config.prices, model)) ?? ownValue(config.prices, name) ?? null,
    };
  };
}

/** Variables that determine which account or endpoint an agent uses. For keys, only whether they are set counts. */
const ACCOUNT_VARIABLES: Readonly<Record<ProgramConfig['kind'], AccountVariables>> = {
  'claude-code': {
    places: ['ANTHROPIC_BASE_URL', 'CLAUDE_CONFIG_DIR', 'HOME'],
    keys: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'],
  },
  codex: { places: ['OPENAI_BASE_URL', 'CODEX_HOME', 'HOME'], keys: ['OPENAI_API_KEY', 'CODEX_API_KEY'] },
  acp: { places: ['HOME'], keys: [] },
  command: { places: ['HOME'], keys: [] },
};

interface AccountVariables {
  readonly places: readonly string[];
  readonly keys: readonly string[];
}

/** Identifies the account that an agent spends, without reading a secret: the same string means the same account. */
function credentialOf(agent: ProgramConfig, env: NodeJS.ProcessEnv): string {
  const { places, keys } = ACCOUNT_VARIABLES[agent.kind];
  // For a custom program, the command is the only sign of which account it uses.
  const command = agent.kind === 'acp' || agent.kind === 'command' ? agent.command : null;
  return JSON.stringify([
    agent.kind,
    command,
    places.map((name) => env[name] ?? null),
    [...keys, ...agent.env].filter((name) => (env[name] ?? '') !== ''),
  ]);
}

/** For trying an agent of the configuration outside a run. */
export function createTrialDeps(
  { repoRoot, config }: Configured,
  run: RunDeps,
  env: NodeJS.ProcessEnv,
): TrialDeps {
  return {
    run,
    agents: config.agents,
    findProgram: createProgramFinder({ resolveProgram, env }),
    makeCheckout: () => makeTemporaryCheckout(repoRoot),
    newToken: () => randomBytes(8).toString('hex'),
  };
}
