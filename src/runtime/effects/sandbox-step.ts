import type { Runner } from '../../policy/confinement.ts';
import { type AgentCapability, withoutCapabilities } from '../../policy/enforcement.ts';
import type { RunContext, StepPolicy, StepSandbox } from '../run-context.ts';

/** The sandbox for the processes of a step. */
export async function sandboxStep(
  { deps, directory, workspace }: RunContext,
  runner: Runner,
  policies: readonly string[],
  checkout: string = workspace.checkoutPath,
): Promise<StepSandbox> {
  const { sandbox } = deps.project;
  if (sandbox === undefined) return { confinement: null, notes: [], refusal: null };
  const sandboxed = await sandbox({
    runner,
    policies,
    checkoutPath: checkout,
    runDir: directory.path,
    harnessDir: workspace.harnessDir,
  });
  const { confinement } = sandboxed;
  if (confinement === null) return sandboxed;
  const temporary = await deps.workspace.openTemporary(checkout);
  return { ...sandboxed, confinement: { ...confinement, writable: [...confinement.writable, temporary] } };
}

/** Why a step must not start: its policy demands something that can't be enforced here. Null if it may. */
export function findStartRefusal(
  runner: Runner,
  policy: Pick<StepPolicy, 'unenforceable'>,
  { refusal }: StepSandbox,
  capabilities: readonly AgentCapability[] = [],
): string | null {
  const unenforceable = findUnenforceable(runner, policy, capabilities);
  return unenforceable.length === 0
    ? refusal
    : `this machine can't enforce ${unenforceable.join(', ')} of the policy; conductor doctor shows what is missing`;
}

/** Only `network` applies to validators, too; the rest of a policy is about agents. */
export function findUnenforceable(
  runner: Runner,
  { unenforceable }: Pick<StepPolicy, 'unenforceable'>,
  capabilities: readonly AgentCapability[] = [],
): string[] {
  return withoutCapabilities(capabilities, unenforceable).filter(
    (dimension) => runner === 'agent' || dimension.startsWith('network'),
  );
}
