import { resolve } from 'node:path';
import { createAgentPlanner } from '../adapters/planner/agent-planner.ts';
import { createModelPlanner } from '../adapters/planner/model-planner.ts';
import { createUnavailablePlanner } from '../adapters/planner/prompted-planner.ts';
import { DEFAULT_RETRY } from '../adapters/planner/retry.ts';
import { createRulePlanner } from '../adapters/planner/rule-planner.ts';
import { STRUCTURED_AGENTS } from '../adapters/planner/structured-cli.ts';
import { resolveProgram } from '../adapters/process/program.ts';
import { createSupervisor, DEFAULT_PROCESS_LIMITS } from '../adapters/process/supervisor.ts';
import { createPromptCatalog } from '../adapters/prompts/prompt-catalog.ts';
import { openPrompts } from '../adapters/prompts/prompt-files.ts';
import { type Opened, refuse } from '../app/opened.ts';
import { choosePlanner } from '../app/planner/choose-planner.ts';
import type { Config, ModelPlannerConfig, PlannerConfig } from '../contracts/config/config.ts';
import { ownValue } from '../contracts/own-value.ts';
import { pickVariables } from '../policy/environment.ts';
import { secretValuesOf } from '../policy/secrets/secrets.ts';
import type { Planner } from '../ports/planner.ts';
import type { PromptCatalog } from '../ports/prompts.ts';
import type { ResolveProgram, Supervisor } from '../ports/supervisor.ts';
import type { Obstacle } from '../runtime/obstacle.ts';
import { toMilliseconds } from '../workflow/config/limit-defaults.ts';

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

type OpenedPlanner =
  | { readonly ok: true; readonly planner: Planner }
  | { readonly ok: false; readonly obstacle: Obstacle };

/** Builds the planner that a name stands for; null for the configured one. */
export function buildPlanner(setup: PlannerSetup, name: string | null): OpenedPlanner {
  const chosen = choosePlanner(setup.config, name);
  return chosen.ok ? { ok: true, planner: buildConfiguredPlanner(setup, chosen.planner) } : chosen;
}

/** The settings of a planner that is used outside a run. */
export function createPlannerSetup(
  request: Pick<PlannerSetup, 'repoRoot' | 'config' | 'prompts' | 'env'>,
): PlannerSetup {
  const secrets = secretValuesOf(request.env);
  const supervisor = createSupervisor({ sandbox: null, secrets });
  return { ...request, secrets, supervisor, resolveProgram, ...DEFAULT_PROCESS_LIMITS };
}

interface PlannerRequest extends Pick<PlannerSetup, 'repoRoot' | 'config' | 'env'> {
  readonly promptFolders: readonly string[];
  /** Null for the configured one. */
  readonly name: string | null;
}

/** Opens a planner for use outside a run. Missing settings are reported before it is asked anything. */
export async function openPlanner(request: PlannerRequest): Promise<Opened<Planner>> {
  const prompts = createPromptCatalog(openPrompts(request.promptFolders).byRef);
  const chosen = buildPlanner(createPlannerSetup({ ...request, prompts }), request.name);
  if (!chosen.ok) return { ...chosen, document: null };
  const { planner } = chosen;
  const missing = (await planner.explainUnavailable?.()) ?? null;
  return missing === null
    ? { ok: true, value: planner }
    : refuse(
        `the planner ${planner.name} is not available: ${missing}`,
        'set what is missing, or use --planner rules',
      );
}

/** The API key of the model planner, so that it is masked like any other secret, whatever its variable is called. */
export function plannerSecrets({ planner }: Config, env: NodeJS.ProcessEnv): string[] {
  if (planner.kind !== 'model' || planner.api_key_env === null) return [];
  return secretValuesOf({ PLANNER_KEY: env[planner.api_key_env] });
}

function buildConfiguredPlanner(setup: PlannerSetup, planner: PlannerConfig): Planner {
  switch (planner.kind) {
    case 'rules':
      return createRulePlanner();
    case 'model':
      return buildModelPlanner(setup, planner);
    case 'agent':
      return buildAgentPlanner(setup, planner);
  }
}

function buildModelPlanner({ prompts, env, secrets }: PlannerSetup, planner: ModelPlannerConfig): Planner {
  const { provider, model, base_url: baseUrl, api_key_env: apiKeyEnv } = planner;
  const key = apiKeyEnv === null ? undefined : env[apiKeyEnv];
  return createModelPlanner({
    address: { provider, model, baseUrl, apiKey: key === undefined || key === '' ? null : key },
    apiKeyEnv,
    prompts,
    secrets,
    timeoutMs: toMilliseconds(planner.timeout),
    retry: { ...DEFAULT_RETRY, retries: planner.retries },
    random: Math.random,
  });
}

function buildAgentPlanner(
  setup: PlannerSetup,
  { agent: name, timeout }: Extract<PlannerConfig, { kind: 'agent' }>,
): Planner {
  const { config, env, prompts } = setup;
  const agent = ownValue(config.agents, name);
  const absent = (why: string) => createUnavailablePlanner(`agent:${name}`, 'agent', why, prompts);
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
    env: { ...pickVariables(env, config.environment), ...pickVariables(env, agent.env) },
    timeoutMs: toMilliseconds(timeout),
  });
}
