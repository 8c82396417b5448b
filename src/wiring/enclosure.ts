import { lstat, mkdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Config } from '../contracts/config.ts';
import type { PolicyDocument } from '../contracts/policy.ts';
import { assemblePolicy } from '../policy/assemble.ts';
import { type Enclosing, enclosingNotes, networkFor } from '../policy/confinement.ts';
import type { Confinement } from '../ports/sandbox.ts';
import type { Enclosure, EnclosureRequest, Project } from '../runtime/run-context.ts';
import type { SandboxState } from './sandbox-state.ts';

interface EnclosureDeps {
  readonly repoRoot: string;
  readonly config: Config;
  readonly policiesByRef: ReadonlyMap<string, PolicyDocument>;
  readonly sandbox: SandboxState;
  /** What git reads of the repository. */
  readonly gitFolders: readonly string[];
  /** Where the harness kit is, to be read. */
  readonly kitFolders: readonly string[];
}

/** Where work items are kept, relative to the repository. */
export const WORK_FOLDER = '.tnh/work';

/** Folders of a run that validators leave things in, besides the harness folder. */
const VALIDATOR_FOLDERS = ['screenshots', 'logs'];

export function createEnclosure(deps: EnclosureDeps): NonNullable<Project['enclosure']> {
  return async (request) => {
    const policies = [deps.config.policy, ...request.policies].flatMap(
      (ref) => deps.policiesByRef.get(ref) ?? [],
    );
    const effective = assemblePolicy(policies.map((policy) => ({ source: 'step', policy })));
    const network = networkFor(request.runner, effective, policies);
    const notes = enclosingNotes(enclosingOf(deps.sandbox), request.runner, effective, network);
    if (deps.sandbox.kind !== 'works') return { ...without(deps), notes };
    await mkdir(request.harnessDir, { recursive: true });
    const canWrite = request.runner === 'validator' || effective.execution === 'workspace_write';
    const places = placesOf(deps, request, canWrite);
    const readable = [...places.readable, ...(await gitLinkOf(request.worktreePath))];
    const hidden = [...places.hidden, ...(await workFolderOf(deps.repoRoot))];
    return { refusal: null, notes, confinement: { ...places, readable, hidden, network } };
  };
}

/** Work items are the engine's. Where there are none, there is nothing to hide. */
async function workFolderOf(repoRoot: string): Promise<string[]> {
  const path = join(repoRoot, WORK_FOLDER);
  const found = await lstat(path).catch(() => null);
  return found?.isDirectory() === true ? [path] : [];
}

/** The file that makes the folder a worktree stays as it is. Something else in its place is nothing to show. */
async function gitLinkOf(worktreePath: string): Promise<string[]> {
  const path = join(worktreePath, '.git');
  const found = await lstat(path).catch(() => null);
  return found?.isFile() === true ? [path] : [];
}

function enclosingOf(sandbox: SandboxState): Enclosing {
  return sandbox.kind === 'works'
    ? { kind: 'sandbox', name: sandbox.sandbox.name }
    : { kind: 'none', reason: sandbox.reason };
}

function without({ config, sandbox }: EnclosureDeps): Pick<Enclosure, 'confinement' | 'refusal'> {
  const isRequired = config.sandbox === 'required' && sandbox.kind !== 'works';
  return {
    confinement: null,
    refusal: isRequired ? `the configuration requires a sandbox, and ${sandbox.reason}` : null,
  };
}

function placesOf(
  { repoRoot, config, gitFolders, kitFolders }: EnclosureDeps,
  { runner, worktreePath, runDir, harnessDir }: EnclosureRequest,
  canWrite: boolean,
): Omit<Confinement, 'network'> {
  const around = [
    resolve(repoRoot, config.paths.runs),
    resolve(repoRoot, config.paths.worktrees),
    dirname(runDir),
    dirname(worktreePath),
  ];
  return {
    writable: [
      harnessDir,
      ...(canWrite ? [worktreePath] : []),
      ...(runner === 'validator' ? VALIDATOR_FOLDERS.map((name) => join(runDir, name)) : []),
    ],
    // The checkout is shown for what lies in it beside the worktree's files, such as installed packages.
    readable: [...kitFolders, repoRoot, ...gitFolders, runDir, worktreePath],
    // Other runs are nobody's business. A folder that holds the repository itself can't be hidden.
    hidden: around.filter((folder) => !`${repoRoot}/`.startsWith(`${folder}/`)),
  };
}
