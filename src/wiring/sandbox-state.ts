import { homedir, tmpdir } from 'node:os';
import { resolveProgram } from '../adapters/process/program.ts';
import { createBubblewrap } from '../adapters/sandbox/bubblewrap.ts';
import { probeBubblewrap } from '../adapters/sandbox/probe.ts';
import { createRootOnlyFinder } from '../adapters/sandbox/root-only.ts';
import type { Config } from '../contracts/config/config.ts';
import type { Sandbox } from '../ports/sandbox.ts';
import type { Obstacle } from '../runtime/obstacle.ts';
import { privateBytes } from './process-bounds.ts';

export type SandboxState =
  | { readonly kind: 'works'; readonly sandbox: Sandbox }
  | { readonly kind: 'absent'; readonly reason: string; readonly help: string }
  | { readonly kind: 'off'; readonly reason: string };

/** Starts bubblewrap once to find out whether steps can run in a sandbox on this machine. */
export async function findSandbox(
  config: Pick<Config, 'sandbox' | 'limits'>,
  env: NodeJS.ProcessEnv,
  searchPath: string | undefined,
): Promise<SandboxState> {
  if (config.sandbox === 'off') return { kind: 'off', reason: 'the configuration switches the sandbox off' };
  const probe = await probeBubblewrap(resolveProgram, env.PATH);
  if (!probe.ok) return { kind: 'absent', reason: probe.reason, help: probe.help };
  const home = env.HOME ?? homedir();
  return {
    kind: 'works',
    sandbox: createBubblewrap({
      command: probe.command,
      home,
      tempFolder: tmpdir(),
      searchPath,
      resolveProgram,
      privateBytes: privateBytes(config.limits),
      rootOnly: createRootOnlyFinder(),
    }),
  };
}

/** Why no run may start, if the configuration requires a sandbox and none works. */
export function sandboxRefusal(config: Pick<Config, 'sandbox'>, state: SandboxState): Obstacle | null {
  if (config.sandbox !== 'required' || state.kind !== 'absent') return null;
  return {
    message: `the configuration requires a sandbox, and ${state.reason}`,
    help: `${state.help}; or set sandbox: auto in .tnh/config.yaml to run without one`,
  };
}
