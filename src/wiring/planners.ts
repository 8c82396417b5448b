import { resolve } from 'node:path';
import { createAbsentPlanner } from '../adapters/planner/absent-planner.ts';
import { createAgentPlanner } from '../adapters/planner/agent-planner.ts';
import { createModelPlanner } from '../adapters/planner/model-planner.ts';
import { DEFAULT_RETRY } from '../adapters/planner/retry.ts';
import { createRulePlanner } from '../adapters/planner/rule-planner.ts';
import { STRUCTURED_AGENTS } from '../adapters/planner/structured-cli.ts';
import type { Config, ModelPlannerConfig, PlannerConfig } from '../contracts/config/config.ts';
import { MODEL_PROVIDERS } from '../contracts/config/config.ts';
import { PLANNER_DEFAULTS } from '../contracts/config/config-defaults.ts';
import { ownValue } from '../contracts/own-value.ts';
import { didYouMean } from '../diagnostics/did-you-mean.ts';
import { secretValuesOf } from '../policy/secrets.ts';
import type { Planner } from '../ports/planner.ts';
import type { PromptCatalog } from '../ports/prompts.ts';
import type { ResolveProgram, Supervisor } from '../ports/supervisor.ts';
import type { Obstacle } from '../runtime/obstacle.ts';
import { allowlisted } from './environment.ts';
import { durationOf } from './known-names.ts';

export interface PlannerSetup {
  /** Relative program paths are resolved against this folder. */
  readonly repoRoot: string;
  readonly config: Config;
  readonly prompts: PromptCatalog;
  readonly env: NodeJS.ProcessEnv;
  readonly secrets: readonly string[];
  readonly supervisor: Supervisor;
  readonly resolveProgram: ResolveProgram;
  readonly captureLimitBytes: number;
  readonly graceMs: number;
}

export type PlannerChoice =
  | { readonly ok: true; readonly planner: Planner }
  | { readonly ok: false; readonly obstacle: Obstacle };

/**
 * Resolves the name of a planner: null (the configured one), `rules`, `model` (as configured), `model:MODEL` (of the
 * configured provider), `model:PROVIDER/MODEL`, or `agent:NAME` (an agent of the configuration).
 */
export function plannerFor(setup: PlannerSetup, name: string | null): PlannerChoice {
  if (name === null) return { ok: true, planner: plannerOf(setup, setup.config.planner) };
  const chosen = readPlannerName(setup.config, name);
  return chosen === null
    ? { ok: false, obstacle: unknownPlanner(setup.config, name) }
    : { ok: true, planner: plannerOf(setup, chosen) };
}

function unknownPlanner({ agents, planner }: Config, name: string): Obstacle {
  if (/^model(?::|$)/.test(name) && planner.kind !== 'model')
    return {
      message: `there is no planner ${name}, since the configuration has none of kind model`,
      help: 'name a provider: model:anthropic/NAME or model:openai/NAME; or set planner in .tnh/config.yaml',
    };
  const names = ['rules', 'model', ...Object.keys(agents).map((agent) => `agent:${agent}`)];
  const near = names.find((candidate) => candidate.startsWith(name)) ?? didYouMean(name, names);
  return {
    message: `there is no planner ${name}`,
    help: near === null ? HELP : `did you mean ${near}?`,
  };
}

const HELP =
  'use rules, model (as configured), model:MODEL, model:PROVIDER/MODEL with a provider of anthropic, openai or openai-compatible, or agent:NAME';

function readPlannerName(config: Config, name: string): PlannerConfig | null {
  const [, kind = name, rest = ''] = /^([a-z]+):(.+)$/.exec(name) ?? [];
  switch (kind) {
    case 'rules':
      return rest === '' ? { kind: 'rules' } : null;
    case 'model':
      return readModelName(config.planner, rest);
    case 'agent':
      return ownValue(config.agents, rest) === undefined
        ? null
        : { kind: 'agent', agent: rest, ...PLANNER_DEFAULTS.agent };
    default:
      return null;
  }
}

/** Names of models may contain slashes, too, so only a known provider counts as a prefix. */
function readModelName(configured: PlannerConfig, name: string): ModelPlannerConfig | null {
  const base = configured.kind === 'model' ? configured : null;
  if (name === '') return base;
  const provider = MODEL_PROVIDERS.find((candidate) => name.startsWith(`${candidate}/`));
  if (provider === undefined) return base === null ? null : { ...base, model: name };
  const model = name.slice(provider.length + 1);
  if (base?.provider === provider) return { ...base, model };
  if (provider === 'openai-compatible') return null;
  const api_key_env = PLANNER_DEFAULTS.api_key_env[provider];
  return { kind: 'model', provider, model, base_url: null, api_key_env, ...PLANNER_DEFAULTS.model };
}

/** The API key of the model planner, so that it is masked like any other secret, whatever its variable is called. */
export function plannerSecrets({ planner }: Config, env: NodeJS.ProcessEnv): string[] {
  if (planner.kind !== 'model' || planner.api_key_env === null) return [];
  return secretValuesOf({ PLANNER_KEY: env[planner.api_key_env] });
}

function plannerOf(setup: PlannerSetup, planner: PlannerConfig): Planner {
  switch (planner.kind) {
    case 'rules':
      return createRulePlanner();
    case 'model':
      return modelPlannerOf(setup, planner);
    case 'agent':
      return agentPlannerOf(setup, planner);
  }
}

function modelPlannerOf({ prompts, env, secrets }: PlannerSetup, planner: ModelPlannerConfig): Planner {
  const { provider, model, base_url: baseUrl, api_key_env: apiKeyEnv } = planner;
  const key = apiKeyEnv === null ? undefined : env[apiKeyEnv];
  return createModelPlanner({
    address: { provider, model, baseUrl, apiKey: key === undefined || key === '' ? null : key },
    apiKeyEnv,
    prompts,
    secrets,
    timeoutMs: durationOf(planner.timeout),
    retry: { ...DEFAULT_RETRY, retries: planner.retries },
    chance: Math.random,
  });
}

function agentPlannerOf(
  setup: PlannerSetup,
  { agent: name, timeout }: Extract<PlannerConfig, { kind: 'agent' }>,
): Planner {
  const { config, env, prompts } = setup;
  const agent = ownValue(config.agents, name);
  const absent = (why: string) => createAbsentPlanner(`agent:${name}`, 'agent', why, prompts);
  if (agent === undefined) return absent('the agent is not configured');
  const kind = STRUCTURED_AGENTS.find((candidate) => candidate === agent.kind);
  if (kind === undefined || agent.kind === 'replay' || agent.kind === 'command')
    return absent(
      `an agent of kind ${agent.kind} gives no structured answers; claude-code and codex give them`,
    );
  const [program = '', ...args] = typeof agent.command === 'string' ? [agent.command] : agent.command;
  const path = program.includes('/') ? resolve(setup.repoRoot, program) : program;
  return createAgentPlanner({
    ...setup,
    agent: name,
    kind,
    command: [path, ...args],
    model: agent.model,
    env: { ...allowlisted(env, config.environment), ...allowlisted(env, agent.env) },
    timeoutMs: durationOf(timeout),
  });
}
