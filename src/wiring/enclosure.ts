import { mkdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { PolicyFiles } from '../adapters/project/policy-files.ts';
import type { Config } from '../contracts/config/config.ts';
import { assemblePolicy } from '../policy/assemble.ts';
import { type Enclosing, enclosingNotes, networkFor } from '../policy/confinement.ts';
import type { Confinement } from '../ports/sandbox.ts';
import type { Enclosure, EnclosureRequest, Project } from '../runtime/run-context.ts';
import type { SandboxState } from './sandbox-state.ts';

interface EnclosureDeps {
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

export function createEnclosure(deps: EnclosureDeps): NonNullable<Project['enclosure']> {
  return async (request) => {
    const policies = [...deps.config.policy, ...request.policies].flatMap(
      (ref) => deps.policiesByRef.get(ref) ?? [],
    );
    const effective = assemblePolicy(policies.map((policy) => ({ source: 'step', policy })));
    const network = networkFor(request.runner, effective, policies);
    const notes = enclosingNotes(enclosingOf(deps.sandbox), request.runner, network);
    if (deps.sandbox.kind !== 'works') return { ...refuseIfRequired(deps), notes };
    await mkdir(request.harnessDir, { recursive: true });
    const canWrite = request.runner === 'validator' || effective.execution === 'workspace_write';
    const places = collectPlaces(deps, request, canWrite);
    const networkDenied = effective.network === 'deny';
    return { refusal: null, notes, confinement: { ...places, network, networkDenied } };
  };
}

function enclosingOf(sandbox: SandboxState): Enclosing {
  return sandbox.kind === 'works'
    ? { kind: 'sandbox', name: sandbox.sandbox.name }
    : { kind: 'none', reason: sandbox.reason };
}

function refuseIfRequired({ config, sandbox }: EnclosureDeps): Pick<Enclosure, 'confinement' | 'refusal'> {
  const isRequired = config.sandbox === 'required' && sandbox.kind !== 'works';
  return {
    confinement: null,
    refusal: isRequired ? `the configuration requires a sandbox, and ${sandbox.reason}` : null,
  };
}

/** A sandboxed step sees its checkout, the object folders it borrows from and its run folder, no other user files. */
function collectPlaces(
  { repoRoot, userFolders, config, objectFolders, kitFolders, workspacesDir }: EnclosureDeps,
  { runner, worktreePath, runDir, harnessDir }: EnclosureRequest,
  canWrite: boolean,
): Omit<Confinement, 'network' | 'networkDenied'> {
  return {
    writable: [
      harnessDir,
      ...(canWrite ? [worktreePath] : []),
      ...(runner === 'validator' ? VALIDATOR_FOLDERS.map((name) => join(runDir, name)) : []),
    ],
    readable: [
      ...kitFolders,
      ...objectFolders,
      join(dirname(worktreePath), 'store', 'objects'),
      runDir,
      worktreePath,
    ],
    hidden: [...userFolders, resolve(repoRoot, config.paths.runs), workspacesDir, dirname(runDir)],
  };
}
