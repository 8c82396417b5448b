import type {
  AgentConfig,
  Command,
  Config,
  ConfigDocument,
  PlannerConfig,
  ValidatorConfig,
} from '../contracts/config.ts';
import { CONFIG_DEFAULTS } from '../contracts/config-defaults.ts';

/** The repository wins over the user, key by key; maps merge by name. What neither says is the default. */
export function mergeConfigs(user: ConfigDocument | null, repo: ConfigDocument | null): Config {
  const [low, high] = [user ?? {}, repo ?? {}];
  const both = { ...low, ...high };
  const agents = { ...low.agents, ...high.agents };
  const validators = { ...low.validators, ...high.validators };
  return {
    agents: { ...CONFIG_DEFAULTS.agents, ...mapValues(agents, completeAgent) },
    validators: mapValues(validators, completeValidator),
    planner: completePlanner(both.planner),
    limits: {
      timeout: high.limits?.timeout ?? low.limits?.timeout ?? CONFIG_DEFAULTS.limits.timeout,
      idle_timeout:
        high.limits?.idle_timeout ?? low.limits?.idle_timeout ?? CONFIG_DEFAULTS.limits.idle_timeout,
      max_visits: high.limits?.max_visits ?? low.limits?.max_visits ?? CONFIG_DEFAULTS.limits.max_visits,
    },
    policy: both.policy ?? CONFIG_DEFAULTS.policy,
    protected_branches: both.protected_branches ?? CONFIG_DEFAULTS.protected_branches,
    entrypoints: both.entrypoints ?? CONFIG_DEFAULTS.entrypoints,
    environment: both.environment ?? CONFIG_DEFAULTS.environment,
    paths: {
      runs: high.paths?.runs ?? low.paths?.runs ?? CONFIG_DEFAULTS.paths.runs,
      worktrees: high.paths?.worktrees ?? low.paths?.worktrees ?? CONFIG_DEFAULTS.paths.worktrees,
    },
    retention: {
      keep_runs: high.retention?.keep_runs ?? low.retention?.keep_runs ?? CONFIG_DEFAULTS.retention.keep_runs,
      keep_days: high.retention?.keep_days ?? low.retention?.keep_days ?? CONFIG_DEFAULTS.retention.keep_days,
    },
    notify: both.notify ? { command: asCommand(both.notify.command) } : null,
    sandbox: both.sandbox ?? CONFIG_DEFAULTS.sandbox,
  };
}

type AgentDocument = NonNullable<ConfigDocument['agents']>[string];
type ValidatorDocument = NonNullable<ConfigDocument['validators']>[string];

function completeAgent(agent: AgentDocument): AgentConfig {
  switch (agent.kind) {
    case 'claude-code':
    case 'codex': {
      const { command } = CONFIG_DEFAULTS.agents[agent.kind];
      return {
        kind: agent.kind,
        command: agent.command ?? command,
        model: agent.model ?? null,
        env: agent.env ?? [],
      };
    }
    case 'acp':
      return { kind: 'acp', command: agent.command, model: agent.model ?? null, env: agent.env ?? [] };
    case 'command':
      return { kind: 'command', command: agent.command, env: agent.env ?? [] };
    case 'replay':
      return agent;
  }
}

function completeValidator(validator: ValidatorDocument): ValidatorConfig {
  return {
    command: asCommand(validator.command),
    timeout: validator.timeout ?? null,
    report: validator.report ?? null,
    artifacts: validator.artifacts ?? [],
    retries: validator.retries ?? 0,
  };
}

function completePlanner(planner: ConfigDocument['planner']): PlannerConfig {
  if (planner === undefined) return CONFIG_DEFAULTS.planner;
  return planner.kind === 'model' ? { ...planner, base_url: planner.base_url ?? null } : planner;
}

/** The schema has already refused an empty list; the type does not know. */
function asCommand(words: readonly string[]): Command {
  const [program = '', ...rest] = words;
  return [program, ...rest];
}

function mapValues<From, To>(
  record: Readonly<Record<string, From>>,
  map: (value: From) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}
