import type { AgentConfig, Config } from '../contracts/config/config.ts';
import { AGENT_RETRIES } from '../contracts/config/config-defaults.ts';
import { ownValue } from '../contracts/own-value.ts';
import type { AgentCare } from '../runtime/run-context.ts';

/** Retries, credential and price of an agent, from the configuration. */
export function createAgentCare(config: Config, env: NodeJS.ProcessEnv): (name: string) => AgentCare {
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
const ACCOUNT_VARIABLES: Readonly<Record<Exclude<AgentConfig['kind'], 'replay'>, AccountVariables>> = {
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
function credentialOf(agent: Exclude<AgentConfig, { kind: 'replay' }>, env: NodeJS.ProcessEnv): string {
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
