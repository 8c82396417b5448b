import { isMap, isScalar, isSeq, parseDocument, stringify } from 'yaml';
import { ROLES, type Role } from '../contracts/work-results.ts';

/** Which role works in a step of the built-in workflows. */
const ROLE_OF_STEP: Readonly<Record<string, Role>> = {
  plan: 'planner',
  implement: 'implementor',
  refine: 'implementor',
  review: 'reviewer',
};

export type RoleAgents = Readonly<Record<Role, string>>;

/** A built-in workflow with the agents of the configuration in its steps. Every other byte stays as it is. */
export function withRoleAgents(text: string, agents: RoleAgents): string {
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
