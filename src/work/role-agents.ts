import { isMap, isScalar, isSeq, parseDocument, stringify } from 'yaml';
import { ROLES, type Role } from '../contracts/work/work-results.ts';

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

/** Configured names that no agent has, with their configuration keys. */
export function unknownRoleAgents(
  agents: RoleAgents,
  known: ReadonlySet<string>,
): readonly { readonly key: string; readonly name: string }[] {
  return ROLES.filter((role) => !known.has(agents[role])).map((role) => ({
    key: `work.agents.${role}`,
    name: agents[role],
  }));
}
