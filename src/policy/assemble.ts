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
} from '../contracts/documents/policy.ts';

/** The source of a layer, in the order in which layers are applied. */
export type LayerSource = 'system' | 'workflow' | 'step' | 'runtime';

export interface PolicyLayer {
  readonly source: LayerSource;
  readonly policy: PolicyOverride;
}

/** The policy of a step after all layers are combined. */
export interface EffectivePolicy {
  readonly execution: Execution;
  /** One list per layer that defines one; a path must be allowed by every list. */
  readonly allowed_paths: readonly (readonly string[])[];
  readonly forbidden_paths: readonly string[];
  /** Paths that may change, but only with approval. */
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
  /** Requests of later layers for a looser value, which were refused. */
  readonly notes: readonly string[];
}

/**
 * Combines the layers. Lists of forbidden and approval paths grow, allow-lists intersect, and the tighter of two
 * values applies, so no layer can loosen what an earlier one set.
 */
export function assemblePolicy(layers: readonly PolicyLayer[]): EffectivePolicy {
  const notes: string[] = [];
  const policies = layers.map(({ policy }) => policy);
  const allowLists = policies.flatMap(({ commands }) =>
    commands?.allow === undefined ? [] : [commands.allow],
  );
  return {
    execution:
      pickTightest('execution', EXECUTIONS, (policy) => policy.execution, layers, notes) ?? 'workspace_write',
    allowed_paths: policies.flatMap(({ allowed_paths: paths }) => (paths === undefined ? [] : [paths])),
    forbidden_paths: union(policies.map((policy) => policy.forbidden_paths)),
    approval_paths: union(policies.map((policy) => policy.approval_paths)),
    protected_paths: union(policies.map((policy) => policy.protected_paths)),
    forbidden_operations: inOrder(union(policies.map((policy) => policy.forbidden_operations))),
    approval:
      pickTightest('approval', APPROVALS, (policy) => policy.approval, layers, notes) ?? 'fail_on_prompt',
    network: pickTightest('network', NETWORKS, (policy) => policy.network, layers, notes) ?? 'allow',
    commands: {
      allow: intersection(allowLists),
      deny: union(policies.map(({ commands }) => commands?.deny)),
    },
    notes,
  };
}

/** `order` goes from loose to tight. */
function pickTightest<V extends string>(
  field: string,
  order: readonly V[],
  readValue: (policy: PolicyOverride) => V | undefined,
  layers: readonly PolicyLayer[],
  notes: string[],
): V | null {
  let current: V | null = null;
  for (const { source, policy } of layers) {
    const requested = readValue(policy);
    if (requested === undefined || requested === current) continue;
    if (current !== null && order.indexOf(requested) < order.indexOf(current)) {
      notes.push(
        `the ${source} layer asks for ${field} ${requested}, but an earlier layer set ${current}, which applies`,
      );
    } else {
      current = requested;
    }
  }
  return current;
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

/** Whether one entry includes the other: `git` covers `git status`. */
function covers(wider: string, entry: string): boolean {
  const [few, many] = [wider.trim().split(/\s+/), entry.trim().split(/\s+/)];
  return few.every((word, index) => word === many[index]);
}

function inOrder(operations: readonly Operation[]): Operation[] {
  return OPERATIONS.filter((operation) => operations.includes(operation));
}
