import type { Config } from '../../contracts/config/config.ts';
import { ForgeError } from '../../forge/forge-problem.ts';
import type { ForgeUser } from '../../forge/forge-values.ts';
import type { Forge } from '../../ports/forge/forge.ts';
import { type Finding, ok, problem } from './finding.ts';

export interface WorkItemsDeps {
  readonly connectForge: (
    repoRoot: string,
    config: Config,
  ) => Promise<Pick<Forge, 'name' | 'repository' | 'self' | 'canWrite'>>;
}

const NAME = 'work items';

/** Whether the forge that shows the work items can be reached, and written to. Without a forge there is nothing to say. */
export async function examineWorkItems(
  { connectForge }: WorkItemsDeps,
  repoRoot: string,
  config: Config,
): Promise<Finding[]> {
  if (config.work.provider === 'local') return [];
  try {
    const forge = await connectForge(repoRoot, config);
    const { fullName } = await forge.repository();
    const self: ForgeUser = await forge.self();
    if (await forge.canWrite(self)) return [ok(NAME, `${forge.name}, ${fullName} as ${self.login}`)];
    return [
      problem(
        NAME,
        `${self.login} may not write to ${fullName}`,
        'use the token of a user or app with write access to the repository',
      ),
    ];
  } catch (error) {
    if (!(error instanceof ForgeError)) throw error;
    return [problem(NAME, error.text.message, error.text.help)];
  }
}
