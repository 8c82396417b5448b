import { isEventTypeOf } from '../../contracts/run/event.ts';
import type { ReadResult, RecordProblem, RunRecord } from '../../ports/run-store.ts';
import { answerNotes } from '../../runtime/gates/answer-text.ts';
import { readRecordedPlan } from '../../runtime/record/recorded-run.ts';
import { type RunView, viewRun } from '../../runtime/record/run-view.ts';
import { unrecordedFiles, verifyArtifacts } from '../../runtime/verify/verify-artifacts.ts';
import {
  createVerifyContext,
  lineOf,
  problemIn,
  type VerifyProblem,
} from '../../runtime/verify/verify-context.ts';
import { verifyDerived } from '../../runtime/verify/verify-derived.ts';
import { verifyGates } from '../../runtime/verify/verify-gates.ts';
import { verifyManifests } from '../../runtime/verify/verify-manifests.ts';

export interface Verification {
  readonly events: number;
  readonly artifacts: number;
  readonly manifests: number;
  /** Inconsistencies, in the order in which they were found. */
  readonly problems: readonly VerifyProblem[];
  /** What a reader should know, but which is not a problem. */
  readonly notes: readonly string[];
}

/** Checks a record for consistency: the hash chain, and everything that its events bind. Writes nothing. */
export async function verifyRun(read: ReadResult): Promise<Verification> {
  if (!read.ok) return reportUnreadable(read.problem);
  const { run } = read;
  const view = viewRun(run.events);
  if (view === null) return reportUnreadable({ kind: 'missing' });
  return verifyRecord(run, view);
}

function reportUnreadable(problem: RecordProblem): Verification {
  const found =
    problem.kind === 'missing'
      ? problemIn('events.ndjson', 'holds no start of a run')
      : problemIn('events.ndjson', problem.message, problem.line);
  return { events: 0, artifacts: 0, manifests: 0, problems: [found], notes: [] };
}

async function verifyRecord(run: RunRecord, view: RunView): Promise<Verification> {
  const { directory, events } = run;
  const files = await directory.list('.');
  const driven = run.driver !== null;
  const context = createVerifyContext({ directory, events, view, driven, files });
  const workflow = await readRecordedPlan(directory, view);
  const manifests = await verifyManifests(context);
  const derived = await verifyDerived(context, workflow.ok ? workflow.plan : null);
  return {
    events: events.length,
    artifacts: context.artifacts.size,
    manifests: manifests.checked,
    problems: [
      ...findRunIdProblems(run),
      ...findVersionProblems(run, view),
      ...(workflow.ok ? [] : [problemIn('workflow.yaml', workflow.message)]),
      ...(await verifyArtifacts(context)),
      ...manifests.problems,
      ...(await verifyGates(context)),
      ...derived.problems,
    ],
    notes: [
      ...(await findTornLine(run)),
      ...derived.notes,
      ...unrecordedFiles(context),
      ...answerNotes(view.answers),
    ],
  };
}

/** A log copied from another run has a valid chain, too, so the run id is compared. */
function findRunIdProblems({ directory, events }: RunRecord): VerifyProblem[] {
  return events
    .filter((event) => event.run_id !== directory.runId)
    .map((event) => problemIn('events.ndjson', `belongs to run ${event.run_id}`, lineOf(event)));
}

function findVersionProblems({ events }: RunRecord, { started }: RunView): VerifyProblem[] {
  const version = started.schema_version;
  return events
    .filter(({ event_type }) => !isEventTypeOf(version, event_type))
    .map((event) =>
      problemIn(
        'events.ndjson',
        `${event.event_type} is no event of schema version ${version}`,
        lineOf(event),
      ),
    );
}

/** A crash can leave an incomplete last line. While a process drives the run, it may just be writing. */
async function findTornLine({ directory, driver }: RunRecord): Promise<string[]> {
  const text = driver === null ? await directory.read('events.ndjson') : null;
  return text === null || text.endsWith('\n')
    ? []
    : ['the last line of events.ndjson is torn; conductor resume cuts it off'];
}
