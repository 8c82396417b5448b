import { dirname } from 'node:path/posix';
import type { Confinement } from '../../ports/sandbox.ts';
import type { RunContext } from '../run-context.ts';
import { sandboxStep } from './sandbox-step.ts';

/** Checkouts that a dependency of a run's checkout must not resolve to. */
export function setupPlaces({ deps, workspace }: RunContext, otherCheckout: string): readonly string[] {
  const { checkouts = [], repoRoot } = deps.project;
  return [repoRoot, ...checkouts, otherCheckout, dirname(dirname(workspace.checkoutPath))];
}

/** Where setup keeps its state about the checkouts of a run, out of reach of agents. */
export function setupStateDir({ workspace }: RunContext): string {
  return `${dirname(workspace.checkoutPath)}/setup`;
}

/**
 * With unchanged files, setup runs the user's own commands without a sandbox (unless one is required), so that it can
 * use package manager caches. Once an agent has changed files, it runs in the sandbox, with network.
 */
export async function confineSetup(
  context: RunContext,
  checkout: string,
  policies: readonly string[],
  isChanged: boolean,
): Promise<Confinement | null> {
  if (!isChanged && context.deps.project.requiresSandbox !== true) return null;
  const { confinement } = await sandboxStep(context, 'validator', policies, checkout);
  return confinement === null ? null : { ...confinement, network: 'allow' };
}

/**
 * The environment of agents, validators and setup: allowlisted variables, a folder for temporary files per checkout,
 * and the run's ports, if any. Validators don't see an agent's temporary files.
 */
export async function stepEnvironment(
  { deps, directory, workspace }: RunContext,
  checkout: string,
): Promise<Readonly<Record<string, string>>> {
  const workspaceFolder = dirname(workspace.checkoutPath);
  const port = await deps.setup?.reservePorts({ runId: directory.runId, workspace: workspaceFolder });
  return {
    ...deps.project.environment,
    TMPDIR: await deps.workspace.openTemporary(checkout),
    ...(port == null ? {} : { CONDUCTOR_PORT: String(port) }),
  };
}
