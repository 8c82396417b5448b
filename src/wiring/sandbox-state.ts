import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { resolveProgram } from '../adapters/process/program.ts';
import { createBubblewrap } from '../adapters/sandbox/bubblewrap.ts';
import type { PlanDeps } from '../adapters/sandbox/plan.ts';
import { createPodman } from '../adapters/sandbox/podman.ts';
import { probeBubblewrap, probePodman } from '../adapters/sandbox/probe.ts';
import { createRootOnlyFinder } from '../adapters/sandbox/root-only.ts';
import { stateFolderOf } from '../adapters/system/credential-waits.ts';
import type { Config } from '../contracts/config.ts';
import type { Sandbox } from '../ports/sandbox.ts';
import type { Obstacle } from '../runtime/obstacle.ts';
import { privateBytes } from './process-bounds.ts';

export type SandboxState =
  | { readonly kind: 'works'; readonly sandbox: Sandbox }
  | { readonly kind: 'absent'; readonly reason: string; readonly help: string }
  | { readonly kind: 'off'; readonly reason: string };

/** Finds the sandbox that works here, by starting it: bubblewrap, or else podman. */
export async function findSandbox(
  config: Pick<Config, 'sandbox' | 'limits'>,
  env: NodeJS.ProcessEnv,
  searchPath: string | undefined,
): Promise<SandboxState> {
  if (config.sandbox === 'off') return { kind: 'off', reason: 'the configuration switches the sandbox off' };
  const deps: PlanDeps = {
    home: env.HOME ?? homedir(),
    tempFolder: tmpdir(),
    searchPath,
    resolveProgram,
    privateBytes: privateBytes(config.limits),
    rootOnly: createRootOnlyFinder(),
  };
  const bubblewrap = await probeBubblewrap(resolveProgram, env.PATH);
  if (bubblewrap.ok)
    return { kind: 'works', sandbox: createBubblewrap({ ...deps, command: bubblewrap.command }) };
  const rootsFolder = join(stateFolderOf(env), 'container-roots');
  const podman = await probePodman(resolveProgram, env, rootsFolder);
  if (podman.ok)
    return { kind: 'works', sandbox: createPodman({ ...deps, command: podman.command, rootsFolder }) };
  return {
    kind: 'absent',
    reason: podman.isInstalled ? `${bubblewrap.reason}, and ${podman.reason}` : bubblewrap.reason,
    help: bubblewrap.help,
  };
}

/** Why no run may start, where the configuration insists on a sandbox. */
export function sandboxRefusal(config: Pick<Config, 'sandbox'>, state: SandboxState): Obstacle | null {
  if (config.sandbox !== 'required' || state.kind !== 'absent') return null;
  return {
    message: `the configuration requires a sandbox, and ${state.reason}`,
    help: `${state.help}; or set sandbox: auto in .tnh/config.yaml to run without one`,
  };
}
