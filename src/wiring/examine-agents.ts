import type { Finding } from '../app/services.ts';
import type { Config } from '../contracts/config/config.ts';
import { findAgentProgram, type ProgramAgent } from './agent-programs.ts';

/** Checks which agents could start: path and version of each program, and whether the user is logged in. */
export async function examineAgents(
  config: Config,
  env: NodeJS.ProcessEnv,
  untrusted: ReadonlySet<string>,
): Promise<Finding[]> {
  return Promise.all(
    Object.entries(config.agents).map(
      async ([name, agent]): Promise<Finding> =>
        agent.kind === 'replay'
          ? { name: `agent ${name}`, state: 'ok', detail: `replays run ${agent.run}`, help: null }
          : examineProgram(name, agent, { env, mayStart: !untrusted.has(name) }),
    ),
  );
}

async function examineProgram(
  name: string,
  agent: ProgramAgent,
  place: { readonly env: NodeJS.ProcessEnv; readonly mayStart: boolean },
): Promise<Finding> {
  const found = await findAgentProgram(agent, place.env, place);
  const { program, path, version } = found;
  const finding = (state: Finding['state'], detail: string, help: string | null): Finding => ({
    name: `agent ${name}`,
    state,
    detail,
    help,
  });
  if (path === null) {
    if (program.includes('/') && !program.startsWith('/'))
      return finding('ok', `${agent.kind}, ${program} in the worktree`, null);
    if (found.locked !== null)
      return finding('missing', `${found.locked} may not be run`, `let it be run: chmod +x ${found.locked}`);
    const help = found.install === null ? null : `install it: ${found.install}`;
    return finding(
      'missing',
      program.startsWith('/') ? `${program} is not there` : `${program} is not on the PATH`,
      help ?? `correct agents.${name}.command in .tnh/config.yaml`,
    );
  }
  if (found.trouble !== null)
    return finding('missing', `${path} ${found.trouble}`, `install it again: ${found.install}`);
  const where = `${agent.kind}, ${version === null ? '' : `${version}, `}${path}`;
  if (found.login === false) return finding('missing', `${where}; no sign of a login`, found.loginHelp);
  const detail = found.login === true ? `${where}; there is a login` : where;
  return found.newer === null
    ? finding('ok', detail, null)
    : finding('ok', `${detail}; ${found.newer} is the oldest that was tried`, `update it: ${found.install}`);
}
