import {
  APPROVALS,
  type Approval,
  EXECUTIONS,
  type Execution,
  NETWORKS,
  type Network,
  OPERATIONS,
  type Operation,
  type PolicyOverride,
} from '../contracts/policy.ts';

/** Where a layer comes from, in the order in which layers are laid. */
export type LayerSource = 'system' | 'workflow' | 'step' | 'runtime';

export interface PolicyLayer {
  readonly source: LayerSource;
  readonly policy: PolicyOverride;
}

/** What holds for a step once all layers are laid over each other. */
export interface EffectivePolicy {
  readonly execution: Execution;
  /** One list per layer that gave one; a path must be allowed by every list. */
  readonly allowed_paths: readonly (readonly string[])[];
  readonly forbidden_paths: readonly string[];
  /** Paths that may change, and that a person is asked about when they do. */
  readonly approval_paths: readonly string[];
  readonly protected_paths: readonly string[];
  readonly forbidden_operations: readonly Operation[];
  readonly approval: Approval;
  readonly network: Network;
  readonly commands: {
    /** Null means that only `deny` limits commands. */
    readonly allow: readonly string[] | null;
    readonly deny: readonly string[];
  };
  /** Wishes of later layers for something looser, which were not granted. */
  readonly notes: readonly string[];
}

/**
 * Lays the layers over each other. Lists of forbidden and approval paths grow, allow-lists intersect, and of two values the
 * tighter one holds, so no layer can take back what an earlier one asked for.
 */
export function assemblePolicy(layers: readonly PolicyLayer[]): EffectivePolicy {
  const notes: string[] = [];
  const policies = layers.map(({ policy }) => policy);
  const allowLists = policies.flatMap(({ commands }) =>
    commands?.allow === undefined ? [] : [commands.allow],
  );
  return {
    execution:
      tightest('execution', EXECUTIONS, (policy) => policy.execution, layers, notes) ?? 'workspace_write',
    allowed_paths: policies.flatMap(({ allowed_paths: paths }) => (paths === undefined ? [] : [paths])),
    forbidden_paths: union(policies.map((policy) => policy.forbidden_paths)),
    approval_paths: union(policies.map((policy) => policy.approval_paths)),
    protected_paths: union(policies.map((policy) => policy.protected_paths)),
    forbidden_operations: inOrder(union(policies.map((policy) => policy.forbidden_operations))),
    approval: tightest('approval', APPROVALS, (policy) => policy.approval, layers, notes) ?? 'fail_on_prompt',
    network: tightest('network', NETWORKS, (policy) => policy.network, layers, notes) ?? 'allow',
    commands: {
      allow: intersection(allowLists),
      deny: union(policies.map(({ commands }) => commands?.deny)),
    },
    notes,
  };
}

/** `order` runs from loose to tight. */
function tightest<V extends string>(
  field: string,
  order: readonly V[],
  wishOf: (policy: PolicyOverride) => V | undefined,
  layers: readonly PolicyLayer[],
  notes: string[],
): V | null {
  let held: V | null = null;
  for (const { source, policy } of layers) {
    const asked = wishOf(policy);
    if (asked === undefined || asked === held) continue;
    if (held !== null && order.indexOf(asked) < order.indexOf(held)) {
      notes.push(`the ${source} layer asks for ${field} ${asked}, and ${held} holds`);
    } else {
      held = asked;
    }
  }
  return held;
}

function union<T>(lists: readonly (readonly T[] | undefined)[]): T[] {
  return [...new Set(lists.flatMap((list) => list ?? []))];
}

function intersection(lists: readonly (readonly string[])[]): string[] | null {
  const [first, ...others] = lists;
  if (first === undefined) return null;
  return [...new Set([...first, ...others.flat()])].filter((entry) =>
    lists.every((list) => list.some((wider) => covers(wider, entry))),
  );
}

/** `git` allows all that `git status` does. */
function covers(wider: string, entry: string): boolean {
  const [few, many] = [wider.trim().split(/\s+/), entry.trim().split(/\s+/)];
  return few.every((word, index) => word === many[index]);
}

function inOrder(operations: readonly Operation[]): Operation[] {
  return OPERATIONS.filter((operation) => operations.includes(operation));
}
