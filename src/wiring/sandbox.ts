import { mkdir } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { computePrivateBytes } from '../adapters/process/process-bounds.ts';
import { resolveProgram } from '../adapters/process/program.ts';
import { createBubblewrap } from '../adapters/sandbox/bubblewrap.ts';
import { probeBubblewrap } from '../adapters/sandbox/probe.ts';
import { createRootOnlyFinder } from '../adapters/sandbox/root-only.ts';
import type { Config } from '../contracts/config/config.ts';
import { assemblePolicy } from '../policy/assemble.ts';
import { describeSandbox, networkFor, type SandboxChoice } from '../policy/confinement.ts';
import type { PolicyFiles } from '../ports/project-files.ts';
import type { Confinement, Sandbox } from '../ports/sandbox.ts';
import type { Obstacle } from '../runtime/obstacle.ts';
import type { Project, StepSandbox, StepSandboxRequest } from '../runtime/run-context.ts';

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
      privateBytes: computePrivateBytes(config.limits),
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

interface StepSandboxDeps {
  readonly repoRoot: string;
  /** All checkouts of the repository, and the git folder that they share. */
  readonly userFolders: readonly string[];
  readonly config: Config;
  readonly policiesByRef: PolicyFiles['byRef'];
  readonly sandbox: SandboxState;
  /** Object folders that workspaces borrow from. */
  readonly objectFolders: readonly string[];
  readonly workspacesDir: string;
  /** Folders of the harness kit, mounted read-only. */
  readonly kitFolders: readonly string[];
}

/** Folders of a run that validators write to, besides the harness folder. */
const VALIDATOR_FOLDERS = ['screenshots', 'logs'];

export function createStepSandbox(deps: StepSandboxDeps): NonNullable<Project['sandbox']> {
  return async (request) => {
    const policies = [...deps.config.policy, ...request.policies].flatMap(
      (ref) => deps.policiesByRef.get(ref) ?? [],
    );
    const effective = assemblePolicy(policies.map((policy) => ({ source: 'step', policy })));
    const network = networkFor(request.runner, effective, policies);
    const notes = describeSandbox(chooseSandbox(deps.sandbox), request.runner, network);
    if (deps.sandbox.kind !== 'works') return { ...refuseIfRequired(deps), notes };
    await mkdir(request.harnessDir, { recursive: true });
    const canWrite = request.runner === 'validator' || effective.execution === 'workspace_write';
    const places = collectPlaces(deps, request, canWrite);
    const networkDenied = effective.network === 'deny';
    return { refusal: null, notes, confinement: { ...places, network, networkDenied } };
  };
}

function chooseSandbox(sandbox: SandboxState): SandboxChoice {
  return sandbox.kind === 'works'
    ? { kind: 'sandbox', name: sandbox.sandbox.name }
    : { kind: 'none', reason: sandbox.reason };
}

function refuseIfRequired({
  config,
  sandbox,
}: StepSandboxDeps): Pick<StepSandbox, 'confinement' | 'refusal'> {
  const isRequired = config.sandbox === 'required' && sandbox.kind !== 'works';
  return {
    confinement: null,
    refusal: isRequired ? `the configuration requires a sandbox, and ${sandbox.reason}` : null,
  };
}

/** A sandboxed step sees its checkout, the object folders it borrows from and its run folder, no other user files. */
function collectPlaces(
  { repoRoot, userFolders, config, objectFolders, kitFolders, workspacesDir }: StepSandboxDeps,
  { runner, checkoutPath, runDir, harnessDir }: StepSandboxRequest,
  canWrite: boolean,
): Omit<Confinement, 'network' | 'networkDenied'> {
  return {
    writable: [
      harnessDir,
      ...(canWrite ? [checkoutPath] : []),
      ...(runner === 'validator' ? VALIDATOR_FOLDERS.map((name) => join(runDir, name)) : []),
    ],
    readable: [
      ...kitFolders,
      ...objectFolders,
      join(dirname(checkoutPath), 'store', 'objects'),
      runDir,
      checkoutPath,
    ],
    hidden: [...userFolders, resolve(repoRoot, config.paths.runs), workspacesDir, dirname(runDir)],
  };
}
