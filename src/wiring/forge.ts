import { join } from 'node:path';
import { createIntentFile } from '../adapters/forge/intent-journal.ts';
import { findAnswerer } from '../adapters/process/answerer.ts';
import { readRemoteAddress } from '../adapters/workspace/git/remote-address.ts';
import { pushCommit } from '../adapters/workspace/result/push-commit.ts';
import type { Config } from '../contracts/config/config.ts';
import { ForgeError } from '../forge/forge-problem.ts';
import { parseRemoteAddress, type RemoteAddress } from '../forge/remote-address.ts';
import { hostOfApi, TOKEN_VARIABLES } from '../forge/tokens.ts';
import type { Clock } from '../ports/clock.ts';
import type { ProjectForge } from '../ports/forge/project-forge.ts';

/** What a run may have written to the forge, in the directory of the run. */
const JOURNAL_FILE = 'forge.ndjson';

type Environment = Readonly<Record<string, string | undefined>>;

export interface ProjectForgeDeps {
  readonly repoRoot: string;
  readonly config: Pick<Config, 'forge' | 'publish'>;
  readonly env: Environment;
  readonly clock: Clock;
}

export function createProjectForge({ repoRoot, config, env, clock }: ProjectForgeDeps): ProjectForge {
  const { forge, publish } = config;
  return {
    publish,
    open: async ({ isForPerson, signal }) => {
      const { host, fullName } = await locateRepository(repoRoot, forge);
      const { openGitHub, PEOPLE_RESERVE } = await import('../adapters/forge-github/open-github.ts');
      return openGitHub({
        host,
        baseUrl: forge.base_url,
        fullName,
        tokenEnv: forge.token_env,
        variable: (name) => env[name] || null,
        clock,
        signal,
        reserve: isForPerson ? 0 : PEOPLE_RESERVE,
      });
    },
    answerer: async () => findAnswerer(),
    push: (request) => pushCommit(repoRoot, request),
    journal: (directory) => createIntentFile(join(directory.path, JOURNAL_FILE), clock.now),
  };
}

/** The values of tokens, which must not appear in any record. */
export function forgeSecrets({ forge }: Pick<Config, 'forge'>, env: Environment): readonly string[] {
  return forgeVariables({ forge }).flatMap((name) => env[name] || []);
}

/** The variables with tokens, which no agent and no validator gets. */
export function forgeVariables({ forge }: Pick<Config, 'forge'>): readonly string[] {
  return [...TOKEN_VARIABLES, ...(forge.token_env === null ? [] : [forge.token_env])];
}

/** The repository of the configuration, or that of the remote. A token of one host must not reach another. */
async function locateRepository(repoRoot: string, forge: Config['forge']): Promise<RemoteAddress> {
  const apiHost = forge.base_url === null ? null : hostOfApi(forge.base_url);
  if (forge.repository !== null) return { host: apiHost ?? 'github.com', fullName: forge.repository };
  const address = await readRemoteAddress(repoRoot, forge.remote);
  const found = address === null ? null : parseRemoteAddress(address);
  if (found === null)
    throw new ForgeError({ kind: 'no_repository', remote: forge.remote, isMissing: address === null });
  if (apiHost !== null && apiHost !== found.host)
    throw new ForgeError({
      kind: 'forbidden',
      what: `using the remote ${forge.remote} on ${found.host}`,
      reason: `\`forge.base_url\` is for ${apiHost}; set \`forge.repository\` if both are the same`,
    });
  return found;
}
