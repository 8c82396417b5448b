import type {
  AgentConfig,
  Config,
  ConfigDocument,
  PlannerConfig,
  ValidatorConfig,
  WorkConfig,
} from '../../contracts/config/config.ts';
import { CONFIG_DEFAULTS, PLANNER_DEFAULTS, SETUP_DEFAULTS } from '../../contracts/config/config-defaults.ts';
import { completeForge, completePublish } from '../../contracts/config/forge-config.ts';
import { completeNotify } from '../../contracts/config/notify-config.ts';
import type { Command, SetupConfig, SetupDocument } from '../../contracts/config/setup-config.ts';

/**
 * Merges the layers key by key: environment over repository file over user file over defaults; maps merge by name.
 * The repository can only tighten the user's `sandbox`, `policy` and `protected_branches`. `answers`, `forge`, `serve` and
 * `trusted` are read from the user's file only, `engine` also from the environment.
 */
export function mergeConfigs(
  user: ConfigDocument | null,
  repository: ConfigDocument | null = null,
  environment: ConfigDocument | null = null,
): Config {
  const merged = [user, repository, environment].reduce<ConfigDocument>(
    (low, high) => (high === null ? low : overlay(low, high)),
    {},
  );
  return {
    agents: { ...CONFIG_DEFAULTS.agents, ...mapValues(merged.agents ?? {}, completeAgent) },
    validators: mapValues(merged.validators ?? {}, completeValidator),
    prices: merged.prices ?? {},
    planner: completePlanner(merged.planner),
    limits: {
      timeout: merged.limits?.timeout ?? CONFIG_DEFAULTS.limits.timeout,
      idle_timeout: merged.limits?.idle_timeout ?? CONFIG_DEFAULTS.limits.idle_timeout,
      max_visits: merged.limits?.max_visits ?? CONFIG_DEFAULTS.limits.max_visits,
      park: merged.limits?.park ?? CONFIG_DEFAULTS.limits.park,
      memory: merged.limits?.memory ?? CONFIG_DEFAULTS.limits.memory,
      processes: merged.limits?.processes ?? CONFIG_DEFAULTS.limits.processes,
      written_bytes: merged.limits?.written_bytes ?? CONFIG_DEFAULTS.limits.written_bytes,
    },
    policy: environment?.policy === undefined ? combinePolicies(user, repository) : [environment.policy],
    protected_branches:
      environment?.protected_branches ??
      combineBranches(user, repository) ??
      CONFIG_DEFAULTS.protected_branches,
    entrypoints: merged.entrypoints ?? CONFIG_DEFAULTS.entrypoints,
    environment: merged.environment ?? CONFIG_DEFAULTS.environment,
    paths: {
      runs: merged.paths?.runs ?? CONFIG_DEFAULTS.paths.runs,
      workspaces: merged.paths?.workspaces ?? CONFIG_DEFAULTS.paths.workspaces,
    },
    setup: merged.setup === undefined ? CONFIG_DEFAULTS.setup : completeSetup(merged.setup),
    baseline: merged.baseline ?? CONFIG_DEFAULTS.baseline,
    tests: merged.tests ?? CONFIG_DEFAULTS.tests,
    retention: completeRetention(merged.retention),
    notify: combineTargets(user, repository, environment),
    forge: completeForge({ ...user?.forge, ...environment?.forge }),
    publish: completePublish(merged.publish),
    telemetry: chooseTelemetry(user, repository, environment),
    sandbox: environment?.sandbox ?? strictestSandbox(user, repository) ?? CONFIG_DEFAULTS.sandbox,
    work: completeWork(merged.work),
    serve: { url: user?.serve?.url ?? CONFIG_DEFAULTS.serve.url },
    engine: completeEngine({ ...user?.engine, ...environment?.engine }),
    answers: user?.answers ?? CONFIG_DEFAULTS.answers,
    trusted: user?.trusted ?? CONFIG_DEFAULTS.trusted,
  };
}

/** A limit that is set alone decides alone: the default of the other would keep more. */
function completeRetention(given: ConfigDocument['retention']): Config['retention'] {
  const { keep_runs, keep_days } = given ?? {};
  if (keep_runs === undefined && keep_days === undefined)
    return { ...CONFIG_DEFAULTS.retention, is_configured: false };
  return { keep_runs: keep_runs ?? 0, keep_days: keep_days ?? 0, is_configured: true };
}

function completeEngine(given: NonNullable<ConfigDocument['engine']>): Config['engine'] {
  const { kind, url_env, hub, blobs } = CONFIG_DEFAULTS.engine;
  return {
    kind: given.kind ?? kind,
    url_env: given.url_env ?? url_env,
    hub: given.hub ?? hub,
    blobs: given.blobs ?? blobs,
  };
}

type Layer = ConfigDocument | null;

/** Both policies apply: merging policies only tightens them. */
function combinePolicies(user: Layer, repository: Layer): readonly string[] {
  const named = [user?.policy, repository?.policy].filter((policy) => policy !== undefined);
  return named.length === 0 ? CONFIG_DEFAULTS.policy : [...new Set(named)];
}

function combineBranches(user: Layer, repository: Layer): readonly string[] | null {
  const named = [user?.protected_branches, repository?.protected_branches].filter(
    (list) => list !== undefined,
  );
  return named.length === 0 ? null : [...new Set(named.flat())];
}

/** A repository adds targets to those of the user: it must not silence them. The environment replaces both. */
function combineTargets(user: Layer, repository: Layer, environment: Layer): Config['notify'] {
  if (environment?.notify !== undefined) return completeNotify(environment.notify);
  const seen = new Set<string>();
  return [...completeNotify(user?.notify), ...completeNotify(repository?.notify)].filter((target) => {
    const text = JSON.stringify(target);
    return seen.size < seen.add(text).size;
  });
}

/**
 * The endpoint of a repository counts only if the user has none: it must not redirect the user's telemetry. Headers,
 * which contain secrets, and payloads go to an endpoint of the user only.
 */
function chooseTelemetry(user: Layer, repository: Layer, environment: Layer): Config['telemetry'] {
  const own = { ...user?.telemetry, ...environment?.telemetry };
  if (own.endpoint !== undefined)
    return {
      endpoint: own.endpoint,
      headers_env: own.headers_env ?? null,
      payloads: own.payloads ?? false,
    };
  const endpoint = repository?.telemetry?.endpoint;
  return endpoint === undefined ? null : { endpoint, headers_env: null, payloads: false };
}

const SANDBOX_BY_STRICTNESS = ['required', 'auto', 'off'] as const;

function strictestSandbox(user: Layer, repository: Layer): Config['sandbox'] | undefined {
  return SANDBOX_BY_STRICTNESS.find((value) => value === user?.sandbox || value === repository?.sandbox);
}

function overlay(low: ConfigDocument, high: ConfigDocument): ConfigDocument {
  return {
    ...low,
    ...high,
    agents: { ...low.agents, ...high.agents },
    validators: { ...low.validators, ...high.validators },
    prices: { ...low.prices, ...high.prices },
    limits: { ...low.limits, ...high.limits },
    paths: { ...low.paths, ...high.paths },
    retention: { ...low.retention, ...high.retention },
    work: { ...low.work, ...high.work, agents: { ...low.work?.agents, ...high.work?.agents } },
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
        ...(agent.kind === 'claude-code' && agent.max_turns !== undefined
          ? { max_turns: agent.max_turns }
          : {}),
        ...optionsOf(agent),
      };
    }
    case 'acp':
      return {
        kind: 'acp',
        command: agent.command,
        model: agent.model ?? null,
        env: agent.env ?? [],
        ...optionsOf(agent),
      };
    case 'command':
      return { kind: 'command', command: agent.command, env: agent.env ?? [], ...optionsOf(agent) };
    case 'replay':
      return agent;
  }
}

function optionsOf({ sees, writes, retries }: Exclude<AgentDocument, { kind: 'replay' }>) {
  return {
    ...(sees === undefined ? {} : { sees }),
    ...(writes === undefined ? {} : { writes }),
    ...(retries === undefined ? {} : { retries }),
  };
}

function completeValidator(validator: ValidatorDocument): ValidatorConfig {
  return {
    command: asCommand(validator.command),
    timeout: validator.timeout ?? null,
    report: validator.report ?? null,
    artifacts: validator.artifacts ?? [],
    retries: validator.retries ?? 0,
    network: validator.network ?? 'none',
  };
}

function completePlanner(planner: ConfigDocument['planner']): PlannerConfig {
  if (planner === undefined) return CONFIG_DEFAULTS.planner;
  switch (planner.kind) {
    case 'rules':
      return planner;
    case 'model':
      return {
        ...planner,
        timeout: planner.timeout ?? PLANNER_DEFAULTS.model.timeout,
        retries: planner.retries ?? PLANNER_DEFAULTS.model.retries,
        base_url: planner.base_url ?? null,
        api_key_env: planner.api_key_env ?? PLANNER_DEFAULTS.api_key_env[planner.provider],
      };
    case 'agent':
      return { ...planner, timeout: planner.timeout ?? PLANNER_DEFAULTS.agent.timeout };
  }
}

/** `setup` comes from one file as a whole: cached paths only fit the commands of the same file. */
function completeSetup(setup: SetupDocument): SetupConfig {
  return {
    run: (setup.run ?? SETUP_DEFAULTS.run).map(asCommand),
    cache: setup.cache ?? null,
    copy: setup.copy ?? SETUP_DEFAULTS.copy,
    ports: setup.ports ?? SETUP_DEFAULTS.ports,
    timeout: setup.timeout ?? SETUP_DEFAULTS.timeout,
  };
}

function completeWork(work: ConfigDocument['work']): WorkConfig {
  const { provider, agents, specs, jobs, max_rounds, branch } = CONFIG_DEFAULTS.work;
  return {
    provider: work?.provider ?? provider,
    agents: {
      planner: work?.agents?.planner ?? agents.planner,
      implementor: work?.agents?.implementor ?? agents.implementor,
      reviewer: work?.agents?.reviewer ?? agents.reviewer,
    },
    specs: work?.specs ?? specs,
    jobs: work?.jobs ?? jobs,
    max_rounds: work?.max_rounds ?? max_rounds,
    branch: work?.branch ?? branch,
  };
}

/** The schema has already rejected an empty list, which the type doesn't express. */
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
