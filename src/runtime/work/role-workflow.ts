import type { Role } from '../../contracts/work/work-results.ts';
import type { Plan } from '../../kernel/plan.ts';
import { type RoleAgents, unknownRoleAgents, withRoleAgents } from '../../work/role-agents.ts';
import { checkWorkflow } from '../../workflow/check-workflow.ts';
import type { CheckContext } from '../../workflow/rule.ts';
import type { Obstacle } from '../obstacle.ts';

export const ROLE_WORKFLOWS: Readonly<Record<Role, string>> = {
  planner: 'work.plan',
  implementor: 'work.implement',
  reviewer: 'work.review',
};

export type RoleWorkflow =
  | { readonly ok: true; readonly plan: Plan; readonly text: Uint8Array }
  | { readonly ok: false; readonly obstacles: readonly Obstacle[] };

export interface RoleDocument {
  readonly name: string;
  readonly text: string;
  /** Only built-in workflows get the configured agents; a workflow of the project names its own. */
  readonly builtIn: boolean;
}

/** Checks the document like `conductor run` does. The run stores exactly this text. */
export function roleWorkflow(
  document: RoleDocument,
  agents: RoleAgents,
  context: CheckContext,
  inputs: readonly string[],
): RoleWorkflow {
  const unknown = document.builtIn ? unknownRoleAgents(agents, context.names?.agents ?? new Set()) : [];
  if (unknown.length > 0)
    return {
      ok: false,
      obstacles: unknown.map(({ key, name }) => ({
        message: `${key} names the agent "${name}", which is not configured`,
        help: `correct ${key} in .tnh/config.yaml, or add agents.${name}`,
      })),
    };
  const text = document.builtIn ? withRoleAgents(document.text, agents) : document.text;
  const bytes = new TextEncoder().encode(text);
  const checked = checkWorkflow({ name: document.name, bytes }, { ...context, inputs });
  if (checked.plan !== null) return { ok: true, plan: checked.plan, text: bytes };
  const errors = checked.diagnostics.filter(({ severity }) => severity === 'error');
  return {
    ok: false,
    obstacles: errors.map(({ message, span }) => ({
      message: `${document.name}:${span.line} ${message}`,
      help: `see conductor validate ${document.name}`,
    })),
  };
}
