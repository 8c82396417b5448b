import type { Runner } from '../../policy/confinement.ts';
import { type AgentCapability, notKeptBy } from '../../policy/enforcement.ts';
import type { Enclosure, RunContext, StepPolicy } from '../run-context.ts';

/** The sandbox for the processes of a step. */
export async function encloseStep(
  { deps, directory, workspace }: RunContext,
  runner: Runner,
  policies: readonly string[],
  checkout: string = workspace.worktreePath,
): Promise<Enclosure> {
  const { enclosure } = deps.project;
  if (enclosure === undefined) return { confinement: null, notes: [], refusal: null };
  const enclosed = await enclosure({
    runner,
    policies,
    worktreePath: checkout,
    runDir: directory.path,
    harnessDir: workspace.harnessDir,
  });
  const { confinement } = enclosed;
  if (confinement === null) return enclosed;
  const temporary = await deps.workspace.openTemporary(checkout);
  return { ...enclosed, confinement: { ...confinement, writable: [...confinement.writable, temporary] } };
}

/** Why a step must not start: its policy demands something that can't be enforced here. Null if it may. */
export function refusalOf(
  runner: Runner,
  policy: Pick<StepPolicy, 'unenforceable'>,
  { refusal }: Enclosure,
  capabilities: readonly AgentCapability[] = [],
): string | null {
  const broken = promisesTo(runner, policy, capabilities);
  return broken.length === 0 ? refusal : `this machine can't enforce ${broken.join(', ')}`;
}

/** Only `network` applies to validators, too; the rest of a policy is about agents. */
export function promisesTo(
  runner: Runner,
  { unenforceable }: Pick<StepPolicy, 'unenforceable'>,
  capabilities: readonly AgentCapability[] = [],
): string[] {
  return notKeptBy(capabilities, unenforceable).filter(
    (dimension) => runner === 'agent' || dimension.startsWith('network'),
  );
}
