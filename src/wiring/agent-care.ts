import type { AgentConfig, Config } from '../contracts/config.ts';
import { AGENT_RETRIES } from '../contracts/config-defaults.ts';
import { ownValue } from '../contracts/own-value.ts';
import type { AgentCare } from '../runtime/run-context.ts';

/** What the configuration says about failures and costs of agents. */
export function createAgentCare(config: Config, env: NodeJS.ProcessEnv): (name: string) => AgentCare {
  return (name) => {
    const agent = ownValue(config.agents, name);
    // A replay answers from a record: it fails as it did then, at once and at no cost.
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

/** Variables that say which account or which endpoint an agent works on. Of keys, only whether there is one counts. */
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

/** Two agents with the same name here spend the same account, as far as anybody can tell without reading a secret. */
function credentialOf(agent: Exclude<AgentConfig, { kind: 'replay' }>, env: NodeJS.ProcessEnv): string {
  const { places, keys } = ACCOUNT_VARIABLES[agent.kind];
  // Which account a program of its own works on, only its command can tell.
  const command = agent.kind === 'acp' || agent.kind === 'command' ? agent.command : null;
  return JSON.stringify([
    agent.kind,
    command,
    places.map((name) => env[name] ?? null),
    [...keys, ...agent.env].filter((name) => (env[name] ?? '') !== ''),
  ]);
}
