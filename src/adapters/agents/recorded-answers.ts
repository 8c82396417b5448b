import type { EventDraft, EventPayload } from '../../contracts/run/event.ts';
import { stepFolderOf } from '../../contracts/run/run-files.ts';
import { collectRecordedVisits, type RecordedVisit } from '../../kernel/recorded-visits.ts';
import type { AgentRequest } from '../../ports/agent.ts';
import type { RunDirectory, RunStore } from '../../ports/run-store.ts';

/** The recorded runs that answers can be replayed from. */
export type RecordedRuns = Pick<RunStore, 'match' | 'read'>;

/** A visit of an agent step that has ended. */
export interface EndedVisit extends RecordedVisit {
  readonly end: Extract<EventDraft, { event_type: 'step_completed' | 'step_failed' }>;
}

interface NotFound {
  readonly ok: false;
  readonly message: string;
}

export interface FoundRun {
  readonly ok: true;
  readonly runId: string;
  readonly baseSha: string;
  readonly directory: RunDirectory;
  readonly entries: readonly EndedVisit[];
  /** All artifacts that the log records. */
  readonly artifacts: readonly EventPayload<'artifact_recorded'>[];
}

/** One recorded visit, with the artifacts of the attempt that ended it. */
export interface FoundVisit extends FoundRun {
  readonly entry: EndedVisit;
}

/** Finds the one recorded run with this id or id prefix, other than the asking run. */
export async function findRecordedRun(
  store: RecordedRuns,
  wanted: string,
  askingRunId: string | null,
): Promise<FoundRun | NotFound> {
  const matches = (await store.match(wanted)).filter((id) => id !== askingRunId);
  const [runId, second] = matches;
  if (runId === undefined) return notFound(`there is no recorded run "${wanted}"`);
  if (second !== undefined)
    return notFound(`"${wanted}" is the beginning of ${matches.length} recorded runs: ${matches.join(', ')}`);
  const read = await store.read(runId);
  if (!read.ok)
    return notFound(
      read.problem.kind === 'missing'
        ? `run ${runId} never started`
        : `events.ndjson of run ${runId} is corrupt at line ${read.problem.line}: ${read.problem.message}`,
    );
  const [started] = read.run.events;
  const entries = [...collectRecordedVisits(read.run.events).values()].filter(isEndedAgent);
  return {
    ok: true,
    runId,
    baseSha: started?.event_type === 'run_started' ? started.payload.base_sha : '',
    directory: read.run.directory,
    entries,
    artifacts: read.run.events.flatMap((event) =>
      event.event_type === 'artifact_recorded' ? [event.payload] : [],
    ),
  };
}

/** Finds the recorded visit of the same step with the same number. Recovery attempts in either run don't matter. */
export async function findRecordedVisit(
  store: RecordedRuns,
  wanted: string,
  request: Pick<AgentRequest, 'runId' | 'stepId' | 'visit'>,
): Promise<FoundVisit | NotFound> {
  const found = await findRecordedRun(store, wanted, request.runId);
  if (!found.ok) return found;
  const { stepId, visit } = request;
  const entry = found.entries.find((one) => one.stepId === stepId && one.visit === visit);
  if (entry !== undefined) {
    const folder = `${stepFolderOf(stepId, entry.attempt)}/`;
    const own = found.artifacts.filter(({ path }) => path.startsWith(folder));
    return { ...found, artifacts: own, entry };
  }
  return notFound(
    `run ${found.runId} has not recorded the end of entry ${visit} of step "${stepId}"; replay a run that has`,
  );
}

function isEndedAgent(entry: RecordedVisit): entry is EndedVisit {
  return entry.opcode === 'RUN_AGENT' && entry.end !== null;
}

function notFound(message: string): NotFound {
  return { ok: false, message };
}
