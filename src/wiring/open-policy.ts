import { readFile, realpath } from 'node:fs/promises';
import { type PolicyFiles, placedMessage, readPolicies } from '../adapters/project/policy-files.ts';
import { loadConfig } from '../adapters/project/project-files.ts';
import type { Opened, OpenPolicy } from '../app/services.ts';
import type { PolicyDocument } from '../contracts/documents/policy.ts';
import { didYouMean } from '../diagnostics/did-you-mean.ts';
import { assemblePolicy } from '../policy/assemble.ts';
import { checkPolicy } from '../workflow/document/policy-document.ts';
import { protectedBranchesOf } from './step-policy.ts';

interface PolicyRequest {
  /** The folder that an agent works in. */
  readonly workspace: string;
  /** The folder whose configuration applies; for the worktree of a run, that of its repository. */
  readonly projectRoot: string;
  readonly userFolder: string;
  readonly policyFolders: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Policy files or references, applied in this order; empty means the configured policy. */
  readonly wanted: readonly string[];
}

/** Reads the named policies and adds those of the configuration. */
export async function openPolicy(request: PolicyRequest): Promise<Opened<OpenPolicy>> {
  // CONDUCTOR_POLICY may name a file here; the configuration accepts only references to policies.
  const { CONDUCTOR_POLICY: named, ...env } = request.env;
  const loaded = await loadConfig(request.projectRoot, request.userFolder, env);
  if (!loaded.ok)
    return refuse(`${loaded.file.name} ${loaded.file.problem}`, 'correct it; an empty file is valid');
  const { config } = loaded;
  const configured = named === undefined || named.trim() === '' ? config.policy : [named];
  const policies = await readPolicies(request.policyFolders);
  const layers: PolicyDocument[] = [];
  for (const wanted of request.wanted.length > 0 ? request.wanted : configured) {
    const found = await findPolicy(wanted, policies);
    if (!found.ok) return found;
    layers.push(...found.value);
  }
  return {
    ok: true,
    value: {
      workspace: await realpath(request.workspace),
      policy: assemblePolicy(layers.map((policy) => ({ source: 'step', policy }))),
      protectedBranches: protectedBranchesOf(config),
    },
  };
}

const REFERENCE = /^policy(?:\.[A-Za-z0-9_-]+)+\.v\d+$/;

async function findPolicy(wanted: string, policies: PolicyFiles): Promise<Opened<readonly PolicyDocument[]>> {
  const known = policies.byRef.get(wanted);
  if (known !== undefined) return { ok: true, value: known };
  const broken = policies.broken.find(({ path }) => path.endsWith(`/${wanted}.yaml`));
  if (broken !== undefined) return refuse(`${broken.path} is not usable: ${broken.message}`, 'correct it');
  if (REFERENCE.test(wanted)) {
    const near = didYouMean(wanted, [...policies.byRef.keys()]);
    const help = `the policies are ${[...policies.byRef.keys()].sort().join(', ')}`;
    return refuse(`there is no policy ${wanted}`, near === null ? help : `did you mean ${near}?`);
  }
  const bytes = await readFile(wanted).catch(() => null);
  if (bytes === null)
    return refuse(
      `the policy ${wanted} can't be read`,
      'name a file, or a reference such as policy.workspace.v1',
    );
  const { policy, diagnostics } = checkPolicy({ name: wanted, bytes });
  if (policy !== null) return { ok: true, value: [policy] };
  return refuse(
    `${wanted} is not a policy: ${placedMessage(diagnostics)}`,
    `conductor validate ${wanted} shows everything that is wrong with it`,
  );
}

function refuse(message: string, help: string): Opened<never> {
  return { ok: false, obstacle: { message, help }, document: null };
}
