import type { Config } from '../../contracts/config/config.ts';
import type { FindAgentProgram, ProgramAgent } from '../../ports/agent-program.ts';
import { type Finding, missing, ok } from './finding.ts';

/** Checks which agents could start: path and version of each program, and whether the user is logged in. */
export async function examineAgents(
  { agents }: Pick<Config, 'agents'>,
  findProgram: FindAgentProgram,
  untrusted: ReadonlySet<string>,
): Promise<Finding[]> {
  return Promise.all(
    Object.entries(agents).map(async ([name, agent]) =>
      agent.kind === 'replay'
        ? ok(`agent ${name}`, `replays run ${agent.run}`)
        : examineProgram(name, agent, findProgram, !untrusted.has(name)),
    ),
  );
}

async function examineProgram(
  name: string,
  agent: ProgramAgent,
  findProgram: FindAgentProgram,
  mayStart: boolean,
): Promise<Finding> {
  const subject = `agent ${name}`;
  const found = await findProgram(agent, { mayStart });
  const { program, path, version } = found;
  if (path === null) {
    if (program.includes('/') && !program.startsWith('/'))
      return ok(subject, `${agent.kind}, ${program} in the worktree`);
    if (found.locked !== null)
      return missing(
        subject,
        `${found.locked} is not executable`,
        `make it executable: chmod +x ${found.locked}`,
      );
    return missing(
      subject,
      program.startsWith('/') ? `${program} does not exist` : `${program} is not on the PATH`,
      found.install === null
        ? `correct agents.${name}.command in .tnh/config.yaml`
        : `install it: ${found.install}`,
    );
  }
  if (found.trouble !== null)
    return missing(subject, `${path} ${found.trouble}`, `install it again: ${found.install}`);
  const where = `${agent.kind}, ${version === null ? '' : `${version}, `}${path}`;
  if (found.login === false) return missing(subject, `${where}; no login found`, found.loginHelp);
  const detail = found.login === true ? `${where}; login found` : where;
  return found.newer === null
    ? ok(subject, detail)
    : ok(
        subject,
        `${detail}; the oldest version that conductor was tested with is ${found.newer}`,
        `update it: ${found.install}`,
      );
}
