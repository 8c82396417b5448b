import { mkdir, realpath } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { classifyFailure } from '../../agents/failure.ts';
import { type AgentStream, resultOf, verdictOf } from '../../agents/stream-verdict.ts';
import { cut, renderLine, type TranscriptEntry } from '../../agents/transcript.ts';
import { readTail } from '../../planner/tail.ts';
import { longestFirst, maskSecrets, secretValuesOf } from '../../policy/secrets.ts';
import type { AgentControls, AgentRequest, AgentResult } from '../../ports/agent.ts';
import type { Confinement } from '../../ports/sandbox.ts';
import type { ResolveProgram, Supervisor } from '../../ports/supervisor.ts';
import { processNotes, stepVariables, writeInputs } from './agent-process.ts';
import { createJsonLines } from './json-lines.ts';
import { openTranscriptFile } from './transcript-file.ts';

export interface StreamAgentDeps {
  readonly command: readonly [string, ...string[]];
  /** The agent's own choice where it is null. */
  readonly model: string | null;
  readonly supervisor: Supervisor;
  readonly resolveProgram: ResolveProgram;
  /** Where a bare command is looked for before a run: the PATH that the agent will get. */
  readonly searchPath: string | undefined;
  readonly captureLimitBytes: number;
  readonly graceMs: number;
  /** Values that nothing that is stored may hold, besides the secrets in the agent's own environment. */
  readonly secrets: readonly string[];
}

/** What one command line agent is started with. */
export interface StreamStart {
  /** After the configured command. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** What it has to reach in a sandbox besides what every step does. */
  readonly readable: readonly string[];
  readonly writable: readonly string[];
  readonly controls: AgentControls;
}

const NOISE_LIMIT = 400;

/** Runs an agent that takes its prompt on standard input and tells what it does in lines of JSON. */
export async function runStreamAgent<State>(
  deps: StreamAgentDeps,
  stream: AgentStream<State>,
  request: AgentRequest,
  start: StreamStart,
): Promise<AgentResult> {
  await mkdir(request.evidenceDir, { recursive: true });
  const file = (name: string) => join(request.evidenceDir, name);
  const env = { ...request.env, ...start.env, ...stepVariables(request, await writeInputs(request)) };
  const secrets = longestFirst([...deps.secrets, ...secretValuesOf(env)]);
  const transcript = await openTranscriptFile(file('transcript.md'), deps.captureLimitBytes, secrets);
  const reading = readStream(stream, request, secrets, transcript.append);
  const [program, ...own] = deps.command;
  const argv = [program.includes('/') ? resolve(request.worktreePath, program) : program, ...own] as const;
  const ran = await deps.supervisor.run({
    argv: [...argv, ...start.args],
    cwd: request.worktreePath,
    confinement: await widen(deps, request, argv[0], start),
    env,
    stdin: request.prompt,
    stdoutPath: file('stream.ndjson'),
    stderrPath: file('stderr.txt'),
    captureLimitBytes: deps.captureLimitBytes,
    timeoutMs: request.timeoutMs,
    idleTimeoutMs: request.idleTimeoutMs,
    graceMs: deps.graceMs,
    mark: request.mark,
    signal: request.signal,
    onStop: request.onStop,
    onLine: null,
    onOutput: reading.push,
  });
  const told = reading.end();
  const verdict = verdictOf(told, ran.end, ran.stderr.lastLine, request);
  if (verdict.reason !== null) transcript.append({ kind: 'notice', text: verdict.reason });
  const cutBytes = await transcript.close();
  return {
    termination: verdict.termination,
    exitCode: ran.end.kind === 'exited' ? ran.end.exitCode : null,
    durationMs: ran.durationMs,
    transcriptPath: transcript.path,
    streamPath: ran.stdout.path,
    stderrPath: ran.stderr.path,
    finalResponse: told.finalResponse,
    result: resultOf(readTail(told.finalResponse), told.usage),
    reason: verdict.reason,
    failure: verdict.traces === null ? null : classifyFailure(verdict.traces, ran.end, Date.now()),
    sessionId: told.sessionId,
    controls: {
      requested: { ...start.controls.requested, model: deps.model },
      effective: { ...start.controls.effective, model: told.model ?? deps.model },
    },
    notes: [
      ...processNotes(ran),
      ...(cutBytes > 0 ? [`bytes cut from the readable transcript: ${cutBytes}`] : []),
    ],
  };
}

function readStream<State>(
  stream: AgentStream<State>,
  request: AgentRequest,
  secrets: readonly string[],
  append: (entry: TranscriptEntry) => void,
) {
  let state = stream.start;
  let usageTold = '';
  const tell = (entry: TranscriptEntry): void => {
    append(entry);
    for (const line of renderLine(entry)) request.onLine(maskSecrets(line, secrets));
  };
  const notice = (text: string): void => tell({ kind: 'notice', text });
  const tellUsage = (): void => {
    const { usage } = stream.told(state);
    const now = JSON.stringify(usage);
    if (usage === null || now === usageTold) return;
    usageTold = now;
    request.onUsage?.(usage);
  };
  const lines = createJsonLines({
    onValue: (value) => {
      const folded = stream.fold(state, value, performance.now());
      state = folded.state;
      for (const entry of folded.entries) tell(entry);
      tellUsage();
    },
    onNoise: (text) => notice(cut(text, NOISE_LIMIT)),
    onTooLong: (bytes) => notice(`a line of ${bytes} bytes was passed over`),
  });
  return {
    push: lines.push,
    end: () => {
      lines.end();
      return stream.told(state);
    },
  };
}

/** A program of a package needs what was installed with it; beside the file itself there is only its starter. */
export async function widen(
  { resolveProgram, searchPath }: Pick<StreamAgentDeps, 'resolveProgram' | 'searchPath'>,
  { confinement, worktreePath }: AgentRequest,
  program: string,
  { readable, writable }: Pick<StreamStart, 'readable' | 'writable'>,
): Promise<Confinement | null> {
  if (confinement === null) return null;
  const path = await resolveProgram(program, { cwd: worktreePath, path: searchPath });
  const real = path === null ? '' : await realpath(path).catch(() => '');
  const [packages] = /^.*?\/node_modules(?=\/)/.exec(real) ?? [];
  return {
    ...confinement,
    readable: [...confinement.readable, ...readable, ...(packages === undefined ? [] : [packages])],
    writable: [...confinement.writable, ...writable],
  };
}
