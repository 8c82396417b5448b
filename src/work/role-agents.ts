import { isMap, isSeq, parseDocument } from 'yaml';
import { ROLES, type Role } from '../contracts/work-results.ts';

/** Which role works in a step of the built-in workflows. */
const ROLE_OF_STEP: Readonly<Record<string, Role>> = {
  plan: 'planner',
  implement: 'implementor',
  refine: 'implementor',
  review: 'reviewer',
};

export type RoleAgents = Readonly<Record<Role, string>>;

/** A built-in workflow with the agents of the configuration in its steps. Everything else stays as it is. */
export function withRoleAgents(text: string, agents: RoleAgents): string {
  const document = parseDocument(text);
  const steps = document.get('steps');
  for (const step of isSeq(steps) ? steps.items : []) {
    const role = isMap(step) && step.has('agent') ? ROLE_OF_STEP[String(step.get('id'))] : undefined;
    if (role !== undefined && isMap(step)) step.set('agent', agents[role]);
  }
  return document.toString({ lineWidth: 0 });
}

/** Names of the configuration that no agent has, with the key that names each. */
export function unknownRoleAgents(
  agents: RoleAgents,
  known: ReadonlySet<string>,
): readonly { readonly key: string; readonly name: string }[] {
  return ROLES.filter((role) => !known.has(agents[role])).map((role) => ({
    key: `work.agents.${role}`,
    name: agents[role],
  }));
}
