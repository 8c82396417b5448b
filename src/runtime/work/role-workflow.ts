import { isMap, isScalar, isSeq, parseDocument, stringify } from 'yaml';
import { ROLES, type Role } from '../../contracts/work/work-results.ts';
import type { Plan } from '../../kernel/plan.ts';
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
export function resolveRoleWorkflow(
  document: RoleDocument,
  agents: RoleAgents,
  context: CheckContext,
  inputs: readonly string[],
): RoleWorkflow {
  const unknown = document.builtIn ? findUnknownAgents(agents, context.names?.agents ?? new Set()) : [];
  if (unknown.length > 0)
    return {
      ok: false,
      obstacles: unknown.map(({ key, name }) => ({
        message: `${key} names the agent "${name}", which is not configured`,
        help: `correct ${key} in .tnh/config.yaml, or add agents.${name}`,
      })),
    };
  const text = document.builtIn ? insertRoleAgents(document.text, agents) : document.text;
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

/** The role of each step in the built-in workflows. */
const ROLE_OF_STEP: Readonly<Record<string, Role>> = {
  plan: 'planner',
  implement: 'implementor',
  refine: 'implementor',
  review: 'reviewer',
};

export type RoleAgents = Readonly<Record<Role, string>>;

/**
 * A built-in workflow with the configured agents in its steps. Everything else stays byte for byte the same.
 */
export function insertRoleAgents(text: string, agents: RoleAgents): string {
  const steps = parseDocument(text).get('steps');
  const places = (isSeq(steps) ? steps.items : []).flatMap((step) => {
    const role = isMap(step) ? ROLE_OF_STEP[String(step.get('id'))] : undefined;
    const agent = isMap(step) ? step.get('agent', true) : undefined;
    if (role === undefined || !isScalar(agent) || agent.range == null) return [];
    return [{ from: agent.range[0], to: agent.range[1], name: agents[role] }];
  });
  return places.reduceRight(
    (written, { from, to, name }) =>
      `${written.slice(0, from)}${stringify(name).trimEnd()}${written.slice(to)}`,
    text,
  );
}

/** Configured names that no agent has, with their configuration keys. */
export function findUnknownAgents(
  agents: RoleAgents,
  known: ReadonlySet<string>,
): readonly { readonly key: string; readonly name: string }[] {
  return ROLES.filter((role) => !known.has(agents[role])).map((role) => ({
    key: `work.agents.${role}`,
    name: agents[role],
  }));
}
