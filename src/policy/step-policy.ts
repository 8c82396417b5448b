import type { Config } from '../contracts/config/config.ts';
import type { PolicyDocument, PolicyOverride } from '../contracts/documents/policy.ts';
import type { FileChange } from '../contracts/run/workspace-change.ts';
import { assemblePolicy, type LayerSource, type PolicyLayer } from './assemble.ts';
import { type ChangeCheck, checkChanges, isForbidden, listApprovals } from './changes.ts';
import { listUnenforced } from './enforcement.ts';
import { isCoveredBy } from './globs.ts';

/** Protected in every project, regardless of its configuration. */
const ALWAYS_PROTECTED = ['main', 'master'];

/**
 * Names or globs of branches that no run may move. They include the branch that work items are merged into, and the
 * default branches of the remotes.
 */
export function listProtectedBranches(
  { protected_branches, work }: Config,
  defaults: readonly string[] = [],
): readonly string[] {
  const ofWork = work.branch === null ? [] : [work.branch];
  return [...ALWAYS_PROTECTED, ...protected_branches, ...ofWork, ...defaults];
}

interface StepPolicyRefs {
  /** Policies that the configuration applies to every step. */
  readonly configuration: readonly string[];
  /** Policies of the workflow and the step. */
  readonly step: readonly string[];
}

/** Combines the policies of the configuration, the workflow and the step. */
export function createStepPolicy(
  refs: StepPolicyRefs,
  byRef: ReadonlyMap<string, readonly PolicyDocument[]>,
  protectedBranches: readonly string[],
  hasSandbox = false,
  override?: PolicyOverride,
) {
  const named = [...refs.configuration, ...refs.step];
  const missing = named.filter((ref) => !byRef.has(ref));
  const layersOf = (ref: string, source: LayerSource): PolicyLayer[] =>
    (byRef.get(ref) ?? []).map((policy) => ({ source, policy }));
  const layers = [
    ...refs.configuration.flatMap((ref) => layersOf(ref, 'system')),
    ...refs.step.flatMap((ref, index) => layersOf(ref, index === 0 ? 'workflow' : 'step')),
  ];
  if (override !== undefined) layers.push({ source: 'runtime', policy: override });
  const effective = assemblePolicy(layers);
  return {
    summary: {
      requested_policy: named,
      effective_policy: effective,
      ...(override === undefined ? {} : { overrides: [override] }),
    },
    effective,
    unenforceable: [...missing, ...listUnenforced(effective, { network: hasSandbox })],
    ...(missing.length === 0 ? {} : { missing }),
    readOnly: effective.execution === 'read_only',
    forbids: (path: string) => isForbidden(effective, path),
    ...(effective.protected_paths.length === 0
      ? {}
      : { protects: (path: string) => isCoveredBy(effective.protected_paths, path) }),
    approvals: (changes: readonly FileChange[]) => listApprovals(effective, changes),
    check: (evidence: Omit<ChangeCheck, 'policy' | 'protectedBranches'>) =>
      checkChanges({ ...evidence, policy: effective, protectedBranches }),
  };
}
