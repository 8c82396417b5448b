import { usageSince } from '../../agents/prices.ts';
import { type AgentStream, decideVerdict } from '../../agents/stream-verdict.ts';
import { truncateEntry } from '../../agents/transcript.ts';
import type { Usage } from '../../contracts/run/agent-result.ts';
import type { AgentControls, AgentRequest, AgentResult } from '../../ports/agent.ts';
import {
  type AgentListener,
  type Conversation,
  type ConversationDeps,
  type ProgramStart,
  readStreamFile,
  runConversation,
} from './agent-conversation.ts';
import { createJsonLineSplitter } from './json-lines.ts';
import { type OpenSession, openSession, readNote, reopenFresh, type SessionPlace } from './open-session.ts';
import { maskFiles, moveSession } from './session-files.ts';

/** The arguments and controls that a command line agent is started with. */
export interface StreamStart extends Omit<ProgramStart, 'stdin' | 'kept'> {
  readonly controls: AgentControls;
}

/** A command line agent that takes its prompt on standard input and reports its work in lines of JSON. */
export interface StreamProgram<State> {
  readonly stream: AgentStream<State>;
  readonly sessions: SessionPlace;
  /** `resumeId` is the session to continue; null for a fresh one. */
  readonly start: (request: AgentRequest, resumeId: string | null) => Promise<StreamStart> | StreamStart;
}

const NOISE_LIMIT = 400;

export async function runStreamAgent<State>(
  deps: ConversationDeps,
  program: StreamProgram<State>,
  request: AgentRequest,
): Promise<AgentResult> {
  const { result, lost } = await runOnce(deps, program, request);
  if (lost === null) return result;
  const { note, ...fresh } = reopenFresh(request, lost);
  const retried = await runOnce(deps, program, fresh);
  return { ...retried.result, session: { resumed: false, note } };
}

async function runOnce<State>(
  deps: ConversationDeps,
  program: StreamProgram<State>,
  request: AgentRequest,
): Promise<{ readonly result: AgentResult; readonly lost: string | null }> {
  const session = await openSession(program.sessions, request, deps.secrets);
  const start = await program.start(request, session.resumeId);
  let hasWorked = false;
  const result = await runConversation(
    deps,
    request,
    { ...start, stdin: session.prompt, ...(session.kept.length === 0 ? {} : { kept: session.kept }) },
    (listener) =>
      listenTo(deps, program, request, start, session, {
        ...listener,
        onEntry: (entry) => {
          hasWorked ||= entry.kind !== 'notice';
          listener.onEntry(entry);
        },
      }),
  );
  const continued = { resumed: session.resumeId !== null, note: session.note };
  return {
    result: request.session === undefined ? result : { ...result, session: continued },
    lost: session.resumeId !== null && !hasWorked ? lossOf(result) : null,
  };
}

/** Why a session can't be continued: its program failed before it called its model, and not because of the provider. */
function lossOf({ termination, failure, result, reason }: AgentResult): string | null {
  const used = (result?.usage?.input_tokens ?? 0) + (result?.usage?.output_tokens ?? 0);
  const isOwn = failure?.class === 'crash' || failure?.class === 'no_result';
  return termination === 'error' && used === 0 && isOwn ? (reason ?? failure.message) : null;
}

/** The usage that an interrupted start had reported, or that its session files record. */
export async function usageInStream<State>(
  { stream, sessions }: StreamProgram<State>,
  evidenceDir: string,
): Promise<Usage | null> {
  const { sessionId, usage } = await foldStreamFile(stream, evidenceDir);
  const note = await readNote(evidenceDir);
  const kept = usage === null && note !== null ? await usedBy(sessions, note.folder, sessionId) : usage;
  return usageSince(kept, note?.before ?? null);
}

/** Moves the session files of an interrupted start into the run. */
export async function keepSessionOf<State>(
  deps: Pick<ConversationDeps, 'secrets'>,
  { stream }: StreamProgram<State>,
  evidenceDir: string,
): Promise<void> {
  const note = await readNote(evidenceDir);
  if (note === null) return;
  const { sessionId } = await foldStreamFile(stream, evidenceDir);
  if (note.home !== null && sessionId !== null) await moveSession(sessionId, note.home, note.folder);
  await maskFiles(note.folder, deps.secrets);
}

async function foldStreamFile<State>(stream: AgentStream<State>, evidenceDir: string) {
  let { start: state } = stream;
  await readStreamFile(evidenceDir, (value) => {
    state = stream.fold(state, value, 0).state;
  });
  return stream.report(state);
}

async function usedBy(place: SessionPlace, folder: string, id: string | null): Promise<Usage | null> {
  return id === null ? null : ((await place.usedBy?.(folder, id)) ?? null);
}

function listenTo<State>(
  { model }: ConversationDeps,
  { stream, sessions }: StreamProgram<State>,
  request: AgentRequest,
  { controls }: StreamStart,
  session: OpenSession,
  { onEntry, onUsage }: AgentListener,
): Conversation {
  let state = stream.start;
  const notice = (text: string): void => onEntry({ kind: 'notice', text });
  const lines = createJsonLineSplitter({
    onValue: (value) => {
      const folded = stream.fold(state, value, performance.now());
      state = folded.state;
      for (const entry of folded.entries) onEntry(entry);
      onUsage(usageSince(stream.report(state).usage, session.before));
    },
    onText: (text) => notice(truncateEntry(text, NOISE_LIMIT)),
    onTooLong: (bytes) => notice(`a line of ${bytes} bytes was skipped`),
  });
  return {
    onOutput: lines.push,
    signal: request.signal,
    onStop: request.onStop,
    finish: async ({ end, stderr }) => {
      lines.end();
      const report = stream.report(state);
      await session.close(report.sessionId);
      const folder = request.session === undefined ? null : `${request.session.folder}/${sessions.name}`;
      const total =
        report.usage ?? (folder === null ? null : await usedBy(sessions, folder, report.sessionId));
      return {
        verdict: decideVerdict(report, end, stderr.lastLine, request),
        finalResponse: report.finalResponse,
        usage: usageSince(total, session.before),
        sessionId: report.sessionId,
        controls: {
          requested: { ...controls.requested, model },
          effective: { ...controls.effective, model: report.model ?? model },
        },
        notes: session.note === null ? [] : [session.note],
      };
    },
  };
}
