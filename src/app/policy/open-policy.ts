import type { PolicyDocument } from '../../contracts/documents/policy.ts';
import { didYouMean } from '../../diagnostics/did-you-mean.ts';
import { assemblePolicy, type EffectivePolicy } from '../../policy/assemble.ts';
import { listProtectedBranches } from '../../policy/step-policy.ts';
import type { Files, LoadedConfig, PolicyFiles } from '../../ports/project-files.ts';
import { checkPolicy, placedMessage } from '../../workflow/document/policy-document.ts';
import { type Opened, refuse, refuseConfig } from '../opened.ts';

export interface PolicyDeps {
  /** The folder that an agent works in. */
  readonly workspace: string;
  readonly realPath: Files['realPath'];
  /** A file that the user names, which may be a pipe; null if it can't be read. */
  readonly readFile: (path: string) => Promise<Uint8Array | null>;
  /** The configuration that applies; in a run's checkout, that of its repository. */
  readonly loadConfig: (env: Readonly<Record<string, string | undefined>>) => Promise<LoadedConfig>;
  readonly readPolicies: () => Promise<PolicyFiles>;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface OpenPolicy {
  /** The folder that paths are relative to, without symbolic links. */
  readonly workspace: string;
  readonly policy: EffectivePolicy;
  /** Names or globs of branches. */
  readonly protectedBranches: readonly string[];
}

/**
 * The policy to check a command or a patch against outside a run: the files or references in `wanted`, applied in this
 * order, or the configured policy if it is empty.
 */
export async function openPolicy(deps: PolicyDeps, wanted: readonly string[]): Promise<Opened<OpenPolicy>> {
  // CONDUCTOR_POLICY may name a file here; the configuration accepts only references to policies.
  const { CONDUCTOR_POLICY: named, ...env } = deps.env;
  const loaded = await deps.loadConfig(env);
  if (!loaded.ok) return refuseConfig(loaded.file);
  const { config } = loaded;
  const configured = named === undefined || named.trim() === '' ? config.policy : [named];
  const policies = await deps.readPolicies();
  const layers: PolicyDocument[] = [];
  for (const name of wanted.length > 0 ? wanted : configured) {
    const found = await findPolicy(name, policies, deps.readFile);
    if (!found.ok) return found;
    layers.push(...found.value);
  }
  return {
    ok: true,
    value: {
      workspace: await deps.realPath(deps.workspace),
      policy: assemblePolicy(layers.map((policy) => ({ source: 'step', policy }))),
      protectedBranches: listProtectedBranches(config),
    },
  };
}

const REFERENCE = /^policy(?:\.[A-Za-z0-9_-]+)+\.v\d+$/;

async function findPolicy(
  name: string,
  { byRef, broken }: PolicyFiles,
  readFile: PolicyDeps['readFile'],
): Promise<Opened<readonly PolicyDocument[]>> {
  const known = byRef.get(name);
  if (known !== undefined) return { ok: true, value: known };
  const unusable = broken.find(({ path }) => path.endsWith(`/${name}.yaml`));
  if (unusable !== undefined)
    return refuse(`${unusable.path} is not usable: ${unusable.message}`, 'correct it');
  if (REFERENCE.test(name)) {
    const near = didYouMean(name, [...byRef.keys()]);
    const help = `the policies are ${[...byRef.keys()].sort().join(', ')}`;
    return refuse(`there is no policy ${name}`, near === null ? help : `did you mean ${near}?`);
  }
  const bytes = await readFile(name);
  if (bytes === null)
    return refuse(
      `the policy ${name} can't be read`,
      'name a file, or a reference such as policy.workspace.v1',
    );
  const { policy, diagnostics } = checkPolicy({ name, bytes });
  if (policy !== null) return { ok: true, value: [policy] };
  return refuse(
    `${name} is not a policy: ${placedMessage(diagnostics)}`,
    `conductor validate ${name} shows everything that is wrong with it`,
  );
}
