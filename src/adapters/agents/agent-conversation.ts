import { constants } from 'node:fs';
import { mkdir, open, realpath } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { classifyFailure } from '../../agents/failure.ts';
import { composeResult, type Verdict } from '../../agents/stream-verdict.ts';
import { renderLine, type TranscriptEntry } from '../../agents/transcript.ts';
import type { Usage } from '../../contracts/run/agent-result.ts';
import { readTail } from '../../planner/tail.ts';
import { longestFirst, maskSecrets, secretValuesOf } from '../../policy/secrets/secrets.ts';
import type { PolicyViolation } from '../../policy/violation.ts';
import type { AgentControls, AgentRequest, AgentResult } from '../../ports/agent.ts';
import type { Confinement } from '../../ports/sandbox.ts';
import type { LiveInput, ProcessResult, ResolveProgram, Supervisor } from '../../ports/supervisor.ts';
import { processNotes, stepVariables, writeInputs } from './agent-process.ts';
import { createJsonLineSplitter } from './json-lines.ts';
import { openTranscriptFile } from './transcript-file.ts';

export interface ConversationDeps {
  readonly command: readonly [string, ...string[]];
  /** Null for the agent's default. */
  readonly model: string | null;
  readonly supervisor: Supervisor;
  readonly resolveProgram: ResolveProgram;
  /** The PATH that the agent will get, used to look up a bare command before a run. */
  readonly searchPath: string | undefined;
  readonly captureLimitBytes: number;
  readonly graceMs: number;
  /** Values that no stored file may contain, besides the secrets in the agent's own environment. */
  readonly secrets: readonly string[];
}

/** The unchanged output of the program. */
const STREAM_FILE = 'stream.ndjson';

/** What the program is started with. */
export interface ProgramStart {
  /** Appended to the configured command. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Paths it needs in a sandbox, besides those of every step. */
  readonly readable: readonly string[];
  readonly writable: readonly string[];
  /** Folders of its home that are stored with the run. */
  readonly kept?: Confinement['kept'];
  /** Written to its input at the start; null if the conversation writes everything. */
  readonly stdin: string | null;
}

/** Receives what the agent reports. */
export interface AgentListener {
  readonly onEntry: (entry: TranscriptEntry) => void;
  /** Null while the usage is unknown. Only a usage that has changed is passed on to the run. */
  readonly onUsage: (usage: Usage | null) => void;
}

/** The exchange with the program: its output, and the input sent to it. */
export interface Conversation {
  readonly onOutput: (chunk: Buffer) => void;
  /** Keeps the input of the program open, for messages while it runs. */
  readonly onStart?: (input: LiveInput) => void;
  readonly signal: AbortSignal;
  readonly onStop: AgentRequest['onStop'];
  /** Called when the process has ended, or the supervisor has failed. */
  readonly onProcessEnd?: () => void;
  /** Called after that, to read the result of the conversation. */
  readonly finish: (processResult: ProcessResult) => Promise<ConversationResult> | ConversationResult;
}

export interface ConversationResult {
  readonly verdict: Verdict;
  readonly finalResponse: string;
  readonly usage: Usage | null;
  readonly sessionId: string | null;
  readonly controls: AgentControls;
  /** Notes of the conversation; those on the process are added to them. */
  readonly notes: readonly string[];
  readonly violations?: readonly PolicyViolation[];
}

/** Runs an agent whose program reports its work on its standard output, line by line, while it runs. */
export async function runConversation(
  deps: ConversationDeps,
  request: AgentRequest,
  start: ProgramStart,
  openConversation: (listener: AgentListener) => Conversation,
): Promise<AgentResult> {
  await mkdir(request.evidenceDir, { recursive: true });
  const file = (name: string) => join(request.evidenceDir, name);
  const env = { ...request.env, ...start.env, ...stepVariables(request, await writeInputs(request)) };
  const secrets = longestFirst([...deps.secrets, ...secretValuesOf(env)]);
  const transcript = await openTranscriptFile(file('transcript.md'), deps.captureLimitBytes, secrets);
  const [program, ...configuredArgs] = deps.command;
  const programPath = program.includes('/') ? resolve(request.checkoutPath, program) : program;
  const confinement = await widenConfinement(deps, request, programPath, start);
  const conversation = openConversation(createListener(request, secrets, transcript.append));
  const processResult = await deps.supervisor
    .run({
      argv: [programPath, ...configuredArgs, ...start.args],
      cwd: request.checkoutPath,
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
      onOutput: conversation.onOutput,
      ...(conversation.onStart === undefined ? {} : { onStart: conversation.onStart }),
    })
    .finally(conversation.onProcessEnd);
  const {
    verdict,
    finalResponse,
    usage,
    sessionId,
    controls,
    notes,
    violations = [],
  } = await conversation.finish(processResult);
  const { termination, reason, traces } = verdict;
  if (reason !== null) transcript.append({ kind: 'notice', text: reason });
  const cutBytes = await transcript.close();
  const cutNote = cutBytes > 0 ? [`transcript.md was truncated: ${cutBytes} bytes dropped`] : [];
  return {
    termination,
    exitCode: processResult.end.kind === 'exited' ? processResult.end.exitCode : null,
    durationMs: processResult.durationMs,
    transcriptPath: transcript.path,
    streamPath: processResult.stdout.path,
    stderrPath: processResult.stderr.path,
    finalResponse,
    result: composeResult(readTail(finalResponse), usage),
    reason,
    failure: traces === null ? null : classifyFailure(traces, processResult.end, Date.now()),
    sessionId,
    controls,
    notes: [...notes, ...processNotes(processResult), ...cutNote],
    violations,
  };
}

/** Reads the JSON lines of the program's output; it may be longer than what was stored. */
export async function readStreamFile(evidenceDir: string, onValue: (value: unknown) => void): Promise<void> {
  const lines = createJsonLineSplitter({ onValue, onText: () => undefined, onTooLong: () => undefined });
  try {
    // Does not follow a link: an agent without a sandbox can create one at this path.
    const file = await open(join(evidenceDir, STREAM_FILE), constants.O_RDONLY | constants.O_NOFOLLOW);
    for await (const chunk of file.createReadStream()) lines.push(chunk as Buffer);
  } catch {
    // The program was never started, or the file is unreadable.
    return;
  }
  lines.end();
}

function createListener(
  request: AgentRequest,
  secrets: readonly string[],
  append: (entry: TranscriptEntry) => void,
): AgentListener {
  let lastUsage = '';
  return {
    onEntry: (entry) => {
      append(entry);
      for (const line of renderLine(entry)) request.onLine(maskSecrets(line, secrets));
    },
    onUsage: (usage) => {
      const now = JSON.stringify(usage);
      if (usage === null || now === lastUsage) return;
      lastUsage = now;
      request.onUsage?.(usage);
    },
  };
}

/**
 * Adds the paths that the program needs. A program of an npm package needs the whole `node_modules` folder, because
 * its own file is only a launcher.
 */
async function widenConfinement(
  { resolveProgram, searchPath }: ConversationDeps,
  { confinement, checkoutPath }: AgentRequest,
  program: string,
  { readable, writable, kept }: ProgramStart,
): Promise<Confinement | null> {
  if (confinement === null) return null;
  const path = await resolveProgram(program, { cwd: checkoutPath, path: searchPath });
  const real = path === null ? '' : await realpath(path).catch(() => '');
  const [packages] = /^.*?\/node_modules(?=\/)/.exec(real) ?? [];
  return {
    ...confinement,
    readable: [...confinement.readable, ...readable, ...(packages === undefined ? [] : [packages])],
    writable: [...confinement.writable, ...writable],
    ...(kept === undefined ? {} : { kept: [...(confinement.kept ?? []), ...kept] }),
  };
}
