import {
  type Config,
  MODEL_PROVIDERS,
  type ModelPlannerConfig,
  type PlannerConfig,
} from '../../contracts/config/config.ts';
import { PLANNER_DEFAULTS } from '../../contracts/config/config-defaults.ts';
import { ownValue } from '../../contracts/own-value.ts';
import { didYouMean } from '../../diagnostics/did-you-mean.ts';
import type { Obstacle } from '../../runtime/obstacle.ts';

export type PlannerChoice =
  | { readonly ok: true; readonly planner: PlannerConfig }
  | { readonly ok: false; readonly obstacle: Obstacle };

/**
 * Resolves the name of a planner: null (the configured one), `rules`, `model` (as configured), `model:MODEL` (of the
 * configured provider), `model:PROVIDER/MODEL`, or `agent:NAME` (an agent of the configuration).
 */
export function choosePlanner(config: Config, name: string | null): PlannerChoice {
  const planner = name === null ? config.planner : readPlannerName(config, name);
  return planner === null
    ? { ok: false, obstacle: explainUnknownPlanner(config, name ?? '') }
    : { ok: true, planner };
}

function explainUnknownPlanner({ agents, planner }: Config, name: string): Obstacle {
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
