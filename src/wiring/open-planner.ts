import { resolveProgram } from '../adapters/process/program.ts';
import { createSupervisor, DEFAULT_PROCESS_LIMITS } from '../adapters/process/supervisor.ts';
import { createPromptCatalog } from '../adapters/prompts/prompt-catalog.ts';
import { openPrompts } from '../adapters/prompts/prompt-files.ts';
import type { Opened } from '../app/services.ts';
import type { Config } from '../contracts/config/config.ts';
import { secretValuesOf } from '../policy/secrets.ts';
import type { Planner } from '../ports/planner.ts';
import { plannerFor } from './planners.ts';

interface PlannerRequest {
  readonly projectRoot: string;
  readonly config: Config;
  readonly promptFolders: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** Null for the configured one. */
  readonly name: string | null;
}

/** Opens a planner for use outside a run. Missing settings are reported before it is asked anything. */
export async function openPlanner(request: PlannerRequest): Promise<Opened<Planner>> {
  const { projectRoot, config, env, name } = request;
  const secrets = secretValuesOf(env);
  const chosen = plannerFor(
    {
      repoRoot: projectRoot,
      config,
      env,
      secrets,
      prompts: createPromptCatalog(openPrompts(request.promptFolders).byRef),
      supervisor: createSupervisor({ sandbox: null, secrets }),
      resolveProgram,
      ...DEFAULT_PROCESS_LIMITS,
    },
    name,
  );
  if (!chosen.ok) return { ok: false, obstacle: chosen.obstacle, document: null };
  const { planner } = chosen;
  const missing = (await planner.unavailable?.()) ?? null;
  if (missing === null) return { ok: true, value: planner };
  const message = `the planner ${planner.name} can't be asked: ${missing}`;
  return {
    ok: false,
    obstacle: { message, help: 'set what is missing, or use --planner rules' },
    document: null,
  };
}
