import { constants } from 'node:fs';
import { mkdir, open, realpath } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { classifyFailure } from '../../agents/failure.ts';
import { resultOf, type Verdict } from '../../agents/stream-verdict.ts';
import { renderLine, type TranscriptEntry } from '../../agents/transcript.ts';
import type { Usage } from '../../contracts/agent-result.ts';
import { readTail } from '../../planner/tail.ts';
import { longestFirst, maskSecrets, secretValuesOf } from '../../policy/secrets.ts';
import type { Violation } from '../../policy/violation.ts';
import type { AgentControls, AgentRequest, AgentResult } from '../../ports/agent.ts';
import type { Confinement } from '../../ports/sandbox.ts';
import type { LiveInput, ProcessResult, ResolveProgram, Supervisor } from '../../ports/supervisor.ts';
import { processNotes, stepVariables, writeInputs } from './agent-process.ts';
import { createJsonLines } from './json-lines.ts';
import { openTranscriptFile } from './transcript-file.ts';

/** An agent whose program tells what it does while it does it, in lines on its standard output. */

export interface ToldAgentDeps {
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

/** What the program prints, as it prints it. */
const STREAM_FILE = 'stream.ndjson';

/** What its program is started with. */
export interface ProgramStart {
  /** After the configured command. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** What it has to reach in a sandbox besides what every step does. */
  readonly readable: readonly string[];
  readonly writable: readonly string[];
  /** Folders of its home that are kept with the run. */
  readonly kept?: Confinement['kept'];
  /** Null where its input stays open. */
  readonly stdin: string | null;
}

/** Where what the agent tells goes to. */
export interface Listener {
  readonly onEntry: (entry: TranscriptEntry) => void;
  /** Null while nothing is known; what is known already is not passed on again. */
  readonly onUsage: (usage: Usage | null) => void;
}

/** What is heard from the program, and said to it. */
export interface Conversation {
  readonly hear: (chunk: Buffer) => void;
  readonly begin?: (input: LiveInput) => void;
  readonly signal: AbortSignal;
  readonly onStop: AgentRequest['onStop'];
  /** Called when the process has ended, or could not be looked after. */
  readonly release?: () => void;
  readonly close: (ran: ProcessResult) => Promise<Outcome> | Outcome;
}

export interface Outcome {
  readonly verdict: Verdict;
  readonly finalResponse: string;
  readonly usage: Usage | null;
  readonly sessionId: string | null;
  readonly controls: AgentControls;
  /** Besides those on its process. */
  readonly notes: readonly string[];
  readonly violations?: readonly Violation[];
}

export async function runToldAgent(
  deps: ToldAgentDeps,
  request: AgentRequest,
  start: ProgramStart,
  converse: (listener: Listener) => Conversation,
): Promise<AgentResult> {
  await mkdir(request.evidenceDir, { recursive: true });
  const file = (name: string) => join(request.evidenceDir, name);
  const env = { ...request.env, ...start.env, ...stepVariables(request, await writeInputs(request)) };
  const secrets = longestFirst([...deps.secrets, ...secretValuesOf(env)]);
  const transcript = await openTranscriptFile(file('transcript.md'), deps.captureLimitBytes, secrets);
  const [program, ...own] = deps.command;
  const path = program.includes('/') ? resolve(request.worktreePath, program) : program;
  const confinement = await widen(deps, request, path, start);
  const conversation = converse(listenerOf(request, secrets, transcript.append));
  const ran = await deps.supervisor
    .run({
      argv: [path, ...own, ...start.args],
      cwd: request.worktreePath,
      confinement,
      env,
      stdin: start.stdin,
      stdoutPath: file(STREAM_FILE),
      stderrPath: file('stderr.txt'),
      captureLimitBytes: deps.captureLimitBytes,
      timeoutMs: request.timeoutMs,
      idleTimeoutMs: request.idleTimeoutMs,
      graceMs: deps.graceMs,
      mark: request.mark,
      signal: conversation.signal,
      onStop: conversation.onStop,
      onLine: null,
      onOutput: conversation.hear,
      ...(conversation.begin === undefined ? {} : { onStart: conversation.begin }),
    })
    .finally(conversation.release);
  const {
    verdict,
    finalResponse,
    usage,
    sessionId,
    controls,
    notes,
    violations = [],
  } = await conversation.close(ran);
  const { termination, reason, traces } = verdict;
  if (reason !== null) transcript.append({ kind: 'notice', text: reason });
  const cutBytes = await transcript.close();
  const cutNote = cutBytes > 0 ? [`bytes cut from the readable transcript: ${cutBytes}`] : [];
  return {
    termination,
    exitCode: ran.end.kind === 'exited' ? ran.end.exitCode : null,
    durationMs: ran.durationMs,
    transcriptPath: transcript.path,
    streamPath: ran.stdout.path,
    stderrPath: ran.stderr.path,
    finalResponse,
    result: resultOf(readTail(finalResponse), usage),
    reason,
    failure: traces === null ? null : classifyFailure(traces, ran.end, Date.now()),
    sessionId,
    controls,
    notes: [...notes, ...processNotes(ran), ...cutNote],
    violations,
  };
}

/** Reads what the program printed, as far as it was kept. */
export async function readStreamFile(evidenceDir: string, onValue: (value: unknown) => void): Promise<void> {
  const lines = createJsonLines({ onValue, onNoise: () => undefined, onTooLong: () => undefined });
  try {
    // Without following a link: an agent that is not shut in can put one there.
    const file = await open(join(evidenceDir, STREAM_FILE), constants.O_RDONLY | constants.O_NOFOLLOW);
    for await (const chunk of file.createReadStream()) lines.push(chunk as Buffer);
  } catch {
    // It was not started, or nobody can read it any more.
    return;
  }
  lines.end();
}

function listenerOf(
  request: AgentRequest,
  secrets: readonly string[],
  append: (entry: TranscriptEntry) => void,
): Listener {
  let usageTold = '';
  return {
    onEntry: (entry) => {
      append(entry);
      for (const line of renderLine(entry)) request.onLine(maskSecrets(line, secrets));
    },
    onUsage: (usage) => {
      const now = JSON.stringify(usage);
      if (usage === null || now === usageTold) return;
      usageTold = now;
      request.onUsage?.(usage);
    },
  };
}

/** A program of a package needs what was installed with it; beside the file itself there is only its starter. */
async function widen(
  { resolveProgram, searchPath }: ToldAgentDeps,
  { confinement, worktreePath }: AgentRequest,
  program: string,
  { readable, writable, kept }: ProgramStart,
): Promise<Confinement | null> {
  if (confinement === null) return null;
  const path = await resolveProgram(program, { cwd: worktreePath, path: searchPath });
  const real = path === null ? '' : await realpath(path).catch(() => '');
  const [packages] = /^.*?\/node_modules(?=\/)/.exec(real) ?? [];
  return {
    ...confinement,
    readable: [...confinement.readable, ...readable, ...(packages === undefined ? [] : [packages])],
    writable: [...confinement.writable, ...writable],
    ...(kept === undefined ? {} : { kept: [...(confinement.kept ?? []), ...kept] }),
  };
}
