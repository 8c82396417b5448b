import { dirname } from 'node:path/posix';
import type { Confinement } from '../../ports/sandbox.ts';
import type { RunContext } from '../run-context.ts';
import { encloseStep } from './enclose-step.ts';

/** Checkouts that a dependency must not resolve to, seen from one of the run's own. */
export function setupPlaces({ deps, workspace }: RunContext, otherCheckout: string): readonly string[] {
  const { checkouts = [], repoRoot } = deps.project;
  return [repoRoot, ...checkouts, otherCheckout, dirname(dirname(workspace.worktreePath))];
}

/** Where setup keeps what it knows about the checkouts of the run, out of reach for agents. */
export function setupStateDir({ workspace }: RunContext): string {
  return `${dirname(workspace.worktreePath)}/setup`;
}

/**
 * Setup of files as at the base is the user's own command line and may use the caches of their package managers. Once an
 * agent has changed what it installs from, it runs in the sandbox, with network.
 */
export async function confineSetup(
  context: RunContext,
  checkout: string,
  policies: readonly string[],
  isChanged: boolean,
): Promise<Confinement | null> {
  if (!isChanged && context.deps.project.requiresSandbox !== true) return null;
  const { confinement } = await encloseStep(context, 'validator', policies, checkout);
  return confinement === null ? null : { ...confinement, network: 'allow' };
}

/**
 * What agents, validators and setup get: the allowlisted environment, a folder for temporary files, and the run's ports if
 * it has any. What an agent leaves in its folder doesn't reach validators.
 */
export async function stepEnvironment(
  { deps, directory, workspace }: RunContext,
  checkout: string,
): Promise<Readonly<Record<string, string>>> {
  const workspaceFolder = dirname(workspace.worktreePath);
  const port = await deps.setup?.reservePorts({ runId: directory.runId, workspace: workspaceFolder });
  return {
    ...deps.project.environment,
    TMPDIR: await deps.workspace.openTemporary(checkout),
    ...(port == null ? {} : { CONDUCTOR_PORT: String(port) }),
  };
}
