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
      return ok(subject, `${agent.kind}, ${program} in the workspace`);
    if (found.notExecutable !== null)
      return missing(
        subject,
        `${found.notExecutable} is not executable`,
        `make it executable: chmod +x ${found.notExecutable}`,
      );
    return missing(
      subject,
      program.startsWith('/') ? `${program} does not exist` : `${program} is not on the PATH`,
      found.install === null
        ? `correct agents.${name}.command in .tnh/config.yaml`
        : `install it: ${found.install}`,
    );
  }
  if (found.problem !== null)
    return missing(subject, `${path} ${found.problem}`, `install it again: ${found.install}`);
  const where = `${agent.kind}, ${version === null ? '' : `${version}, `}${path}`;
  if (found.login === false) return missing(subject, `${where}; no login found`, found.loginHelp);
  const detail = found.login === true ? `${where}; login found` : where;
  return found.testedVersion === null
    ? ok(subject, detail)
    : ok(
        subject,
        `${detail}; the oldest version that conductor was tested with is ${found.testedVersion}`,
        `update it: ${found.install}`,
      );
}

interface ScriptDeps {
  readonly exists: (path: string) => Promise<boolean>;
  readonly isCommitted: (path: string) => Promise<boolean>;
}

/** Reports scripts of agents that exist only in the user's checkout: a run starts from a commit. */
export async function examineScripts(
  { agents }: Pick<Config, 'agents'>,
  { exists, isCommitted }: ScriptDeps,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const [name, agent] of Object.entries(agents)) {
    if (agent.kind !== 'command') continue;
    for (const path of [agent.command].flat().filter(isRelativePath))
      if ((await exists(path)) && !(await isCommitted(path)))
        findings.push(
          missing(
            `agent ${name}`,
            `${path} is not committed; runs won't see it`,
            `commit it: git add ${path}`,
          ),
        );
  }
  return findings;
}

function isRelativePath(argument: string): boolean {
  return /^(?![-/]).*[/.]/.test(argument) && !argument.split('/').includes('..');
}
