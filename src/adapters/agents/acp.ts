import { lstat, mkdir, readdir, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type AcpSettings, type AcpState, LOADED_ID } from '../../agents/acp/acp-session.ts';
import { foldUpdate, NO_ACTIVITY, usageOfTurn } from '../../agents/acp/acp-updates.ts';
import { acpVerdict, isSilent } from '../../agents/acp/acp-verdict.ts';
import { readMessage } from '../../agents/acp/json-rpc.ts';
import { usageSince } from '../../agents/prices.ts';
import type { Usage } from '../../contracts/run/agent-result.ts';
import type { StopCause, StoppedEnd } from '../../contracts/run/process-end.ts';
import { assemblePolicy } from '../../policy/assemble.ts';
import { longestFirst, secretValuesOf } from '../../policy/secrets/secrets.ts';
import { temporaryFolders } from '../../policy/shell/write-rules.ts';
import type { PolicyViolation } from '../../policy/violation.ts';
import type { Agent, AgentControls, AgentRequest, AgentResult, SessionRequest } from '../../ports/agent.ts';
import type { ProcessResult } from '../../ports/supervisor.ts';
import { type AcpConnection, openConnection } from './acp-connection.ts';
import {
  type AgentListener,
  type Conversation,
  type ConversationDeps,
  type ProgramStart,
  readStreamFile,
  runConversation,
} from './agent-conversation.ts';
import { missingProgram } from './agent-process.ts';
import { leaveNote, readNote } from './open-session.ts';
import { copyTree, maskFiles } from './session-files.ts';

/** A search stops after this many files and folders, and then counts as without a modified file. */
const SEARCH_LIMIT = 50_000;

/** Folders that git and conductor write to by themselves. */
const IGNORED_FOLDERS = ['.git', '.tnh'];

export interface AcpAgentDeps extends ConversationDeps {
  readonly protectedBranches: readonly string[];
  /** Time limit for opening a session; default two minutes. */
  readonly greetingMs?: number;
}

/** The slowest agent measured took seventeen seconds, on a busy machine. */
const SESSION_OPEN_TIMEOUT_MS = 120_000;
/** Delay between asking an agent to end its turn, or to exit, and signalling its process. */
const GRACE_PERIOD_MS = 2_000;

/**
 * Some agents save the end of a turn to their session only after they have reported it, and not at all once
 * their input is closed.
 */
const SAVING_MS = 500;

/** Any agent that speaks the Agent Client Protocol on its standard streams. */
export function createAcpAgent(deps: AcpAgentDeps): Agent {
  return {
    family: 'acp',
    // ACP does not oblige an agent to ask before it runs a command, so this adapter can't promise to enforce
    // a command list.
    capabilities: ['approval'],
    explainUnavailable: (isInBase) => missingProgram(deps, isInBase),
    run: (request) => runAcp(deps, request),
    canResume: true,
    keepSession: async (evidenceDir) => {
      const note = await readNote(evidenceDir);
      if (note !== null) await cleanHome(note.folder, deps.secrets);
    },
    readUsage: readUsage,
  };
}

async function runAcp(deps: AcpAgentDeps, request: AgentRequest): Promise<AgentResult> {
  const settings = await settingsOf(deps, request);
  const kept = await prepareHome(request);
  const start = { args: [], env: {}, readable: [], writable: [], stdin: null, ...kept };
  const reported: { session: Pick<AcpState, 'isResumed' | 'lost'> } = {
    session: { isResumed: false, lost: null },
  };
  const result = await runConversation(deps, request, start, (listener) =>
    converse(deps, settings, request, listener, (state) => {
      reported.session = state;
    }),
  );
  const { session } = request;
  if (session === undefined) return result;
  await cleanHome(session.folder, longestFirst([...deps.secrets, ...secretValuesOf(request.env)]));
  const { isResumed, lost } = reported.session;
  return { ...result, session: { resumed: isResumed, note: noteOf(session, lost) } };
}

/**
 * Prepares a home folder that is kept with the run. ACP does not say where an agent stores its sessions, so
 * in a sandbox its whole home is a folder of the run. Without a sandbox the sessions stay where the agent
 * stores them.
 */
async function prepareHome(request: AgentRequest): Promise<Pick<ProgramStart, 'kept'>> {
  const { session, confinement, env, evidenceDir } = request;
  const home = env.HOME;
  if (session === undefined || confinement === null || home === undefined) return {};
  const source = join(session.folder, 'home');
  await rm(session.folder, { recursive: true, force: true });
  await mkdir(source, { recursive: true });
  if (session.resume !== null) await copyTree(join(session.resume.from, 'home'), source);
  await leaveNote(evidenceDir, { folder: session.folder, home: null, before: null });
  return { kept: [{ path: home, source }] };
}

/** Caches take hundreds of megabytes for some agents, and are not part of a session. */
const CACHES = ['.cache', '.npm'];

async function cleanHome(folder: string, secrets: readonly string[]): Promise<void> {
  for (const name of CACHES) await rm(join(folder, 'home', name), { recursive: true, force: true });
  await maskFiles(folder, secrets);
}

function noteOf({ resume }: SessionRequest, lost: string | null): string | null {
  if (lost === null || resume === null) return null;
  return `session ${resume.id} could not be continued (${lost}), so the agent started a fresh one with the whole prompt`;
}

async function readUsage(evidenceDir: string): Promise<Usage | null> {
  let activity = NO_ACTIVITY;
  let costBefore: number | null = null;
  await readStreamFile(evidenceDir, (value) => {
    const message = readMessage(value);
    if (message?.kind === 'notification') activity = foldUpdate(activity, message.params, 0).activity;
    if (message?.kind !== 'result' || message.id !== LOADED_ID) return;
    costBefore = activity.costUsd;
    activity = NO_ACTIVITY;
  });
  return usageSince(usageOfTurn(activity, null), costBefore === null ? null : { cost_usd: costBefore });
}

function converse(
  { greetingMs = SESSION_OPEN_TIMEOUT_MS }: AcpAgentDeps,
  settings: AcpSettings,
  request: AgentRequest,
  listener: AgentListener,
  onEnd: (state: AcpState) => void,
): Conversation {
  const connection = openConnection(settings, listener);
  const ending = watchEnd(connection, request, greetingMs);
  return {
    onOutput: connection.onOutput,
    onStart: connection.onStart,
    signal: ending.signal,
    onStop: ending.onStop,
    onProcessEnd: ending.release,
    finish: async (processResult) => {
      const state = connection.state();
      // `inputs.json` is the last file written before the agent starts.
      const hasWorked =
        isSilent(state) &&
        (await hasFileModifiedSince(request.checkoutPath, join(request.evidenceDir, 'inputs.json')));
      onEnd(state);
      return {
        verdict: acpVerdict(state, { ...processResult, stopped: ending.stopped(), hasWorked }, request),
        finalResponse: state.activity.lastMessage,
        usage: state.usage,
        sessionId: state.sessionId,
        controls: controlsOf(settings, state),
        notes: [...answerNotes(state), ...exitNotes(state, processResult)],
        violations: promptViolations(state),
      };
    },
  };
}

async function settingsOf(deps: AcpAgentDeps, request: AgentRequest): Promise<AcpSettings> {
  const cwd = await realpath(request.checkoutPath);
  return {
    cwd,
    prompt: request.prompt,
    model: deps.model,
    resume: request.session?.resume ?? null,
    policy: request.policy ?? assemblePolicy([]),
    place: {
      workspace: cwd,
      cwd,
      home: request.env.HOME ?? null,
      // The agents of a run may write its harness folder, which is reachable by two paths.
      writable: [join(request.runDir, 'harness'), join(cwd, '.tnh', 'run', request.runId, 'harness')],
      temporary: temporaryFolders(request.env.TMPDIR),
      protectedBranches: deps.protectedBranches,
    },
  };
}

/**
 * Makes sure that the process ends: some time after the session does, since many agents keep running until
 * they are asked to exit, and earlier if a limit is exceeded or the run is cancelled. The agent is asked
 * before its process is signalled.
 */
function watchEnd(connection: AcpConnection, request: AgentRequest, greetingMs: number) {
  const program = new AbortController();
  const released = new AbortController();
  let stopped: StoppedEnd | null = null;
  const end = (): void => program.abort();
  const isOver = (): boolean => connection.state().end !== null;
  const wait = (ms: number): Promise<void> =>
    delay(ms, undefined, { signal: released.signal }).catch(() => undefined);
  const askToEnd = async (): Promise<void> => {
    if (connection.cancel()) await Promise.race([connection.ended, wait(GRACE_PERIOD_MS)]);
  };
  const onAbort = (): void => {
    if (!isOver()) stopped ??= { kind: 'cancelled' };
    askToEnd().then(end, end);
  };
  request.signal.addEventListener('abort', onAbort, { once: true });
  if (request.signal.aborted) onAbort();
  connection.ended
    .then(() => wait(request.session === undefined ? 0 : SAVING_MS))
    .then(connection.closeInput)
    .then(() => wait(GRACE_PERIOD_MS))
    .then(end, end);
  const failIfNoSession = (): void => {
    if (connection.state().phase !== 'session/prompt' && !released.signal.aborted)
      connection.failSession(`had opened no session after ${greetingMs / 1_000} s`);
  };
  wait(greetingMs).then(failIfNoSession, failIfNoSession);
  return {
    signal: program.signal,
    stopped: () => stopped,
    onStop: async (cause: StopCause): Promise<void> => {
      // The turn has ended already; only the process is still running.
      if (isOver()) return;
      stopped ??= cause;
      await request.onStop(cause);
      // The process of an agent that exceeded a bound is already killed, so it can't answer.
      if (cause.kind !== 'bound') await askToEnd();
    },
    release: (): void => {
      released.abort();
      request.signal.removeEventListener('abort', onAbort);
    },
  };
}

function controlsOf({ model, policy }: AcpSettings, state: AcpState): AgentControls {
  const { allowed, approved, refused } = state.answers;
  return {
    requested: { model, approval: policy.approval, execution: policy.execution },
    effective: {
      agent: state.agent,
      model: state.model ?? model,
      mode: state.mode,
      permission_requests: { allowed, allowed_automatically: approved, refused },
    },
  };
}

/**
 * No user can answer a permission prompt, so a prompt ends the step and is reported as a policy violation.
 */
function promptViolations({ end }: AcpState): PolicyViolation[] {
  if (end?.kind !== 'prompted') return [];
  const { subject, message } = end;
  return [{ class: 'interactive_prompt_violation', subject, message: `the agent ${message}` }];
}

function answerNotes({ answers }: AcpState): string[] {
  return answers.denied.map(({ subject }) => `native_policy_block: ${subject}`);
}

/** After the session has ended, an abnormal exit no longer affects the outcome; it is reported as a note. */
function exitNotes({ end }: AcpState, processResult: ProcessResult): string[] {
  if (end === null) return [];
  if (processResult.end.kind === 'exited')
    return processResult.end.exitCode === 0
      ? []
      : [`the agent exited with code ${processResult.end.exitCode} after its session had ended`];
  return processResult.end.kind === 'signalled'
    ? [`the agent was killed by ${processResult.end.signal} after its session had ended`]
    : [];
}

/** Whether a file or folder below `folder` was modified after `marker` was last written. */
async function hasFileModifiedSince(folder: string, marker: string): Promise<boolean> {
  const since = (await lstat(marker, { bigint: true })).mtimeNs;
  const open = [folder];
  let visited = 0;
  for (let next = open.pop(); next !== undefined && visited < SEARCH_LIMIT; next = open.pop()) {
    const found = await lstat(next, { bigint: true }).catch(() => null);
    visited += 1;
    if (found === null) continue;
    if (found.mtimeNs > since) return true;
    if (!found.isDirectory()) continue;
    const names = await readdir(next).catch((): string[] => []);
    open.push(
      ...names.filter((name) => !IGNORED_FOLDERS.includes(name)).map((name) => join(next ?? '', name)),
    );
  }
  return false;
}
