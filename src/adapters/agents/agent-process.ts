import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentRequest } from '../../ports/agent.ts';
import type { ProcessResult, ResolveProgram } from '../../ports/supervisor.ts';

interface ProgramPlace {
  readonly command: readonly [string, ...string[]];
  readonly resolveProgram: ResolveProgram;
  readonly searchPath: string | undefined;
}

/** Why the program of an agent can't be started; null if it can. */
export async function missingProgram(
  { command: [program], resolveProgram, searchPath }: ProgramPlace,
  isInBase: (path: string) => Promise<boolean>,
): Promise<string | null> {
  if (program.includes('/') && !program.startsWith('/'))
    return (await isInBase(program)) ? null : `${program} is not in the commit that the run starts from`;
  const found = await resolveProgram(program, { cwd: '/', path: searchPath });
  return found === null ? `command not found: ${program}` : null;
}

/** Writes the file that `CONDUCTOR_INPUTS` names. A file of an earlier attempt is removed first. */
export async function writeInputs({ evidenceDir, inputs }: AgentRequest): Promise<string> {
  const path = join(evidenceDir, 'inputs.json');
  await rm(path, { force: true, recursive: true });
  await writeFile(path, `${JSON.stringify(inputs, null, 2)}\n`, { flag: 'wx' });
  return path;
}

/** Environment variables that tell the agent and its subprocesses which step they work for. */
export function stepVariables(request: AgentRequest, inputsPath: string): Record<string, string> {
  return {
    CONDUCTOR_RUN_ID: request.runId,
    CONDUCTOR_STEP_ID: request.stepId,
    CONDUCTOR_ATTEMPT: String(request.attempt),
    CONDUCTOR_RUN_DIR: request.runDir,
    CONDUCTOR_INPUTS: inputsPath,
  };
}

export function processNotes({ stdout, stderr, leftovers }: ProcessResult): string[] {
  const notes: string[] = [];
  if (leftovers > 0) notes.push(`processes that outlived the agent and were killed: ${leftovers}`);
  if (stdout.cutBytes > 0) notes.push(`bytes cut from the transcript: ${stdout.cutBytes}`);
  if (stderr.cutBytes > 0) notes.push(`bytes cut from stderr: ${stderr.cutBytes}`);
  return notes;
}
