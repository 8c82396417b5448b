import { mkdir, realpath, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { helpFor } from '../../agents/failure.ts';
import { processReason } from '../../agents/process-reason.ts';
import type { AgentFailure } from '../../contracts/run/agent-failure.ts';
import type { AgentResultFile } from '../../contracts/run/agent-result.ts';
import { outcomeOfEnd } from '../../contracts/run/process-end.ts';
import type { Agent, AgentRequest, AgentResult } from '../../ports/agent.ts';
import type { ProcessResult, ResolveProgram, Supervisor } from '../../ports/supervisor.ts';
import { missingProgram, processNotes, stepVariables, writeInputs } from './agent-process.ts';
import { readResultFile } from './result-file.ts';

export interface CommandAgentDeps {
  readonly command: readonly [string, ...string[]];
  readonly supervisor: Supervisor;
  readonly resolveProgram: ResolveProgram;
  /** The PATH that the agent will get, used to look up a bare command before a run. */
  readonly searchPath: string | undefined;
  readonly captureLimitBytes: number;
  readonly graceMs: number;
}

/** Any program that reads a prompt from stdin and changes the checkout it is started in. */
export function createCommandAgent(deps: CommandAgentDeps): Agent {
  return {
    family: 'command',
    explainUnavailable: (isInBase) => missingProgram(deps, isInBase),
    run: (request) => runCommand(deps, request),
  };
}

async function runCommand(deps: CommandAgentDeps, request: AgentRequest): Promise<AgentResult> {
  const files = await prepareFiles(request);
  const [program, ...args] = deps.command;
  const ran = await deps.supervisor.run({
    argv: [program.includes('/') ? resolve(request.checkoutPath, program) : program, ...args],
    cwd: request.checkoutPath,
    confinement: confinementOf(request, files),
    env: {
      ...request.env,
      ...stepVariables(request, files.inputs),
      CONDUCTOR_RESULT: files.result,
    },
    stdin: request.prompt,
    stdoutPath: files.transcript,
    stderrPath: files.stderr,
    captureLimitBytes: deps.captureLimitBytes,
    timeoutMs: request.timeoutMs,
    idleTimeoutMs: request.idleTimeoutMs,
    graceMs: deps.graceMs,
    mark: request.mark,
    signal: request.signal,
    onStop: request.onStop,
    onLine: request.onLine,
  });
  const { result, note } = await readResultFile(files.result, files.realFolder);
  // The result enters the record through the returned value, where secrets are masked.
  await rm(dirname(files.result), { force: true, recursive: true });
  return {
    termination: outcomeOfEnd(ran.end),
    exitCode: ran.end.kind === 'exited' ? ran.end.exitCode : null,
    durationMs: ran.durationMs,
    transcriptPath: ran.stdout.path,
    stderrPath: ran.stderr.path,
    finalResponse: result?.final ?? ran.stdout.lastLine ?? '',
    result,
    resultProblem: note,
    failure: failureOf(result, ran),
    reason: processReason(ran.end, ran.stderr.lastLine, request),
    notes: [...(note === null ? [] : [note]), ...processNotes(ran)],
  };
}

/** conductor only sees that a program failed; the class of the failure comes from its result file. */
function failureOf(result: AgentResultFile | null, { end }: ProcessResult): AgentFailure | null {
  const reported = result?.failure;
  if (reported === undefined || outcomeOfEnd(end) !== 'error') return null;
  const resetAt = reported.reset_at ?? null;
  return {
    class: reported.class,
    message: reported.message ?? `the agent says that it failed: ${reported.class}`,
    reset_at: resetAt === null ? null : new Date(resetAt).toISOString(),
    help: helpFor(reported.class),
  };
}

/** The agent may write its answer folder, but not the rest of the evidence. */
function confinementOf(
  { confinement }: AgentRequest,
  { realFolder }: AgentFiles,
): AgentRequest['confinement'] {
  return confinement === null ? null : { ...confinement, writable: [...confinement.writable, realFolder] };
}

interface AgentFiles {
  readonly inputs: string;
  readonly result: string;
  readonly transcript: string;
  readonly stderr: string;
  /** The folder in which the agent may leave its result; nothing else is stored in it. */
  readonly realFolder: string;
}

async function prepareFiles(request: AgentRequest): Promise<AgentFiles> {
  await mkdir(request.evidenceDir, { recursive: true });
  const folder = join(request.evidenceDir, 'answer');
  // The result of an earlier attempt must not be taken for the result of this one.
  await rm(folder, { force: true, recursive: true });
  await mkdir(folder);
  return {
    inputs: await writeInputs(request),
    result: join(folder, 'result.json'),
    transcript: join(request.evidenceDir, 'transcript.txt'),
    stderr: join(request.evidenceDir, 'stderr.txt'),
    realFolder: await realpath(folder),
  };
}
