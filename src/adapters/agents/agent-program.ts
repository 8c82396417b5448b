import { stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, delimiter, join, resolve } from 'node:path';
import { isOlderVersion, KNOWN_PROGRAMS, type KnownProgram } from '../../agents/known-programs.ts';
import { pathExists } from '../../node/path-exists.ts';
import type { FindAgentProgram, ProgramAgent } from '../../ports/agent-program.ts';
import type { ResolveProgram } from '../../ports/supervisor.ts';
import { askVersion } from './program-version.ts';

interface ProgramFinderDeps {
  readonly resolveProgram: ResolveProgram;
  readonly env: NodeJS.ProcessEnv;
}

export function createProgramFinder({ resolveProgram, env }: ProgramFinderDeps): FindAgentProgram {
  return async (agent, { mayStart }) => {
    const program = programOf(agent);
    const known = KNOWN_PROGRAMS[basename(program)] ?? null;
    const path = await resolveProgram(program, { cwd: '/', path: env.PATH });
    // An unknown program may be an interpreter, whose version says nothing about the agent.
    const { version, problem } =
      known === null || path === null || !mayStart
        ? { version: null, problem: null }
        : await askVersion(path, env);
    return {
      program,
      path,
      notExecutable: path === null ? await findLocked(program, env.PATH ?? '') : null,
      version,
      problem,
      testedVersion:
        version !== null && known !== null && isOlderVersion(version, known.measured) ? known.measured : null,
      login: known === null ? null : await hasLogin(known, env),
      install: known?.install ?? null,
      loginHelp: known?.login ?? null,
    };
  };
}

async function findLocked(program: string, path: string): Promise<string | null> {
  const isBare = !program.includes('/');
  if (!isBare && !program.startsWith('/')) return null;
  for (const folder of isBare ? path.split(delimiter) : ['']) {
    const candidate = resolve('/', folder, program);
    const found = await stat(candidate).catch(() => null);
    if (found?.isFile() === true) return candidate;
  }
  return null;
}

function programOf({ command }: ProgramAgent): string {
  return typeof command === 'string' ? command : (command[0] ?? '');
}

async function hasLogin(known: KnownProgram, env: NodeJS.ProcessEnv): Promise<boolean> {
  if (known.variables.some((name) => (env[name] ?? '') !== '')) return true;
  const folder = known.folderVariable === null ? undefined : env[known.folderVariable];
  for (const file of known.files) {
    const path = folder === undefined ? join(env.HOME ?? homedir(), file) : join(folder, basename(file));
    if (await pathExists(path)) return true;
  }
  return false;
}
