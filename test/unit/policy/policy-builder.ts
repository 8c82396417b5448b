import type { PolicyOverride } from '../../../src/contracts/documents/policy.ts';
import type { FileChange, RefState } from '../../../src/contracts/run/workspace-change.ts';
import { assemblePolicy, type EffectivePolicy } from '../../../src/policy/assemble.ts';

export function policyOf(policy: PolicyOverride): EffectivePolicy {
  return assemblePolicy([{ source: 'step', policy }]);
}

export function change(path: string, fields: Partial<FileChange> = {}): FileChange {
  return {
    path,
    oldPath: null,
    status: 'M',
    insertions: 1,
    deletions: 0,
    oldMode: '100644',
    newMode: '100644',
    blob: 'a'.repeat(40),
    ...fields,
  };
}

export const OWN = 'refs/heads/conductor/run-1';

export function refs(fields: Record<string, string | undefined> = {}, head: string | null = OWN): RefState {
  const all = { [OWN]: 'o1', 'refs/heads/main': 'm1', 'refs/heads/topic': 't1', ...fields };
  const present = Object.entries(all).flatMap(([name, id]) =>
    id === undefined ? [] : [[name, id] as const],
  );
  return { refs: Object.fromEntries(present), head };
}
