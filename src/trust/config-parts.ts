import type { ConfigDocument } from '../contracts/config/config.ts';
import { CONFIG_DEFAULTS, PLANNER_DEFAULTS, PUBLISH_DEFAULTS } from '../contracts/config/config-defaults.ts';
import type { NotifyDocument } from '../contracts/config/notify-config.ts';
import { commandText, createPart, type Part } from './part.ts';

type Agent = NonNullable<ConfigDocument['agents']>[string];
type Planner = NonNullable<ConfigDocument['planner']>;

/**
 * What the configuration of a repository makes conductor execute or pass on. Settings that only tighten the user's own
 * need no approval and produce no part.
 */
export function configParts(repository: ConfigDocument, user: ConfigDocument): readonly Part[] {
  return [
    ...Object.entries(repository.agents ?? {}).map(([name, agent]) =>
      createPart('agent', name, agentText(agent), agent),
    ),
    ...Object.entries(repository.validators ?? {}).map(([name, validator]) =>
      createPart('validator', name, commandText(validator.command), validator),
    ),
    ...setupParts(repository),
    ...plannerParts(repository.planner),
    ...notifyParts(repository),
    ...publishParts(repository),
    ...workParts(repository),
    ...telemetryParts(repository, user),
    ...extraNames('environment', repository.environment, user.environment ?? CONFIG_DEFAULTS.environment),
    ...extraNames('entrypoint', repository.entrypoints, user.entrypoints ?? CONFIG_DEFAULTS.entrypoints),
    ...policyParts(repository, user),
    ...sandboxParts(repository, user),
    ...pathParts(repository),
  ];
}

function agentText(agent: Agent): string {
  if (agent.kind === 'replay') return `replays run ${agent.run}`;
  const { command = CONFIG_DEFAULTS.agents[agent.kind === 'codex' ? 'codex' : 'claude-code'].command } =
    agent;
  return [
    commandText(command),
    ...listed('gets the variables', agent.env),
    ...listed('may read', agent.sees),
    ...listed('may write', agent.writes),
  ].join('; ');
}

function setupParts({ setup }: ConfigDocument): Part[] {
  if (setup === undefined) return [];
  const text = [...(setup.run ?? []).map(commandText), ...listed('gets copies of', setup.copy)].join('; ');
  return text === '' ? [] : [createPart('setup', 'setup', text, setup)];
}

function plannerParts(planner: Planner | undefined): Part[] {
  switch (planner?.kind) {
    case undefined:
    case 'rules':
      return [];
    case 'agent':
      return [createPart('planner', 'planner', `asks the agent ${planner.agent}`, planner)];
    case 'model': {
      const { provider, model, base_url, api_key_env = PLANNER_DEFAULTS.api_key_env[provider] } = planner;
      const where = base_url === undefined ? `the address of ${provider}` : base_url;
      const key = api_key_env === null ? 'no key' : `the key in ${api_key_env}`;
      const text = `sends evidence and diffs to ${where}, model ${model}, with ${key}`;
      return [createPart('planner', 'planner', text, { ...planner, api_key_env })];
    }
  }
}

function notifyParts({ notify }: ConfigDocument): Part[] {
  if (notify === undefined) return [];
  if (!Array.isArray(notify)) return [createPart('notify', 'notify', commandText(notify.command), notify)];
  return notify.map((target, index) =>
    createPart('notify', `notify ${index + 1}`, notifyText(target), target),
  );
}

function publishParts({ publish }: ConfigDocument): Part[] {
  const { when, draft } = { ...PUBLISH_DEFAULTS, ...publish };
  if (publish === undefined) return [];
  const what = draft ? 'draft pull requests' : 'pull requests';
  const at =
    when === 'never'
      ? 'at gates'
      : when === 'end'
        ? 'at gates and after every run'
        : 'at gates and after success';
  return [createPart('publish', 'publish', `pushes the work of runs and opens ${what} ${at}`, publish)];
}

function workParts({ work }: ConfigDocument): Part[] {
  if (work?.provider !== 'github') return [];
  const what = 'pushes work items to the forge and shows them as issues and pull requests';
  return [createPart('publish', 'work.provider', what, work.provider)];
}

function notifyText(target: Extract<NotifyDocument, readonly unknown[]>[number]): string {
  switch (target.kind) {
    case 'ntfy':
      return `sends notifications to ${target.url}${target.token_env === undefined ? '' : `, with the token in ${target.token_env}`}`;
    case 'slack':
      return `sends notifications to Slack, at ${target.url ?? `the address in ${target.url_env ?? ''}`}`;
    case 'webhook':
      return `sends notifications to ${target.url}, signed with the secret in ${target.secret_env}`;
    case 'desktop':
      return 'shows notifications on your desktop';
    case 'command':
      return commandText(target.command);
  }
}

/** Headers and payloads of a repository are ignored, and so is its endpoint if the user has one. */
function telemetryParts({ telemetry }: ConfigDocument, user: ConfigDocument): Part[] {
  const endpoint = telemetry?.endpoint;
  if (endpoint === undefined || user.telemetry?.endpoint !== undefined) return [];
  return [createPart('telemetry', 'telemetry', `sends traces and metrics of runs to ${endpoint}`, endpoint)];
}

/** Returns one part for each name that the user's own configuration doesn't allow. */
function extraNames(
  kind: 'environment' | 'entrypoint',
  wanted: readonly string[] | undefined,
  allowed: readonly string[],
): Part[] {
  const what =
    kind === 'environment'
      ? 'its value is passed to agents, validators and setup'
      : 'workflow scripts may start it';
  return [...new Set(wanted)]
    .filter((name) => !allowed.includes(name))
    .map((name) => createPart(kind, name, what, true));
}

function policyParts(repository: ConfigDocument, user: ConfigDocument): Part[] {
  const { policy } = repository;
  // The policy of the user's configuration always applies in addition.
  if (
    policy === undefined ||
    user.policy !== undefined ||
    CONFIG_DEFAULTS.policy.some((each) => each === policy)
  )
    return [];
  return [createPart('policy', policy, `replaces ${CONFIG_DEFAULTS.policy.join(', ')}`, true)];
}

function sandboxParts({ sandbox }: ConfigDocument, user: ConfigDocument): Part[] {
  if (sandbox !== 'off' || (user.sandbox ?? sandbox) !== 'off') return [];
  return [
    createPart('sandbox', 'sandbox', 'off: agents and validators run with all your permissions', sandbox),
  ];
}

function pathParts({ paths }: ConfigDocument): Part[] {
  const { runs = null, workspaces = null } = paths ?? {};
  return [
    ...(runs === null || runs === CONFIG_DEFAULTS.paths.runs
      ? []
      : [createPart('paths', 'runs', `run records are written to ${runs}`, runs)]),
    ...(workspaces === null
      ? []
      : [createPart('paths', 'workspaces', `run workspaces are created in ${workspaces}`, workspaces)]),
  ];
}

function listed(what: string, names: readonly string[] | undefined): string[] {
  return names === undefined || names.length === 0 ? [] : [`${what} ${names.join(', ')}`];
}
