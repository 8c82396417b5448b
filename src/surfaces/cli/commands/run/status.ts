import type { Status } from '../../../../contracts/run/run-files.ts';
import type { RunListing } from '../../../../ports/run-store.ts';
import { type GateAnswer, readAnswer } from '../../../../runtime/gates/open-gates.ts';
import { statusOf } from '../../../../runtime/record/derived-files.ts';
import { readRecordedPlan } from '../../../../runtime/record/recorded-run.ts';
import { parkedView } from '../../../../runtime/record/run-view.ts';
import { shortenPath } from '../../../../text/shorten.ts';
import { printJson, type VerbContext } from '../../command-context.ts';
import { whileWatching } from '../../driving/watching.ts';
import { EXIT, type ExitCode, exitCodeOfOutcome } from '../../exit-codes.ts';
import { type OpenRun, openRecords, openRun, openRunOf, shortIdsIn } from '../../open.ts';
import { withRepo } from '../../output/command-text.ts';
import { flakyText } from '../../output/flaky-text.ts';
import { timeText } from '../../output/gate-lines.ts';
import { isLive, isMoving, runTable, stateText } from '../../output/run-state.ts';
import { createScreen } from '../../output/screen.ts';
import { type ShortId, shortIdsOf } from '../../output/short-ids.ts';
import { renderTable } from '../../output/table.ts';
import { formatDuration, printable, textWidth } from '../../output/terminal.ts';

const WATCH_MS = 500;
/** Columns that the labels of a status take. */
const LABELS = 13;

export async function status(context: VerbContext, wanted: string | null, watch: boolean): Promise<ExitCode> {
  if (watch) context.endWithReader();
  if (wanted === null) return watch ? watchAll(context) : statusOfAll(context);
  const open = await openRun(context, wanted);
  if (watch) return watchRun(context, open);
  await printStatus(context, open);
  return EXIT.success;
}

/** Runs that have not ended; a person rarely asks where the others stand. */
async function statusOfAll(context: VerbContext): Promise<ExitCode> {
  const { store, clock } = await openRecords(context);
  const all = await store.list();
  printRuns(context, all.filter(isLive), clock.now(), shortIdsOf(all.map(({ runId }) => runId)));
  return EXIT.success;
}

function printRuns(context: VerbContext, listed: readonly RunListing[], now: Date, short: ShortId): void {
  if (context.json)
    printJson(context, {
      runs: listed.map(({ runId, status: each, driverPid }) => ({
        run_id: runId,
        title: null,
        ...each,
        driver_pid: driverPid,
      })),
    });
  else if (listed.length === 0)
    context.terminal.err(
      withRepo('no run is under way; conductor runs lists those that ended\n', context.repo),
    );
  else context.terminal.out(runTable(context, listed, now, short));
}

/**
 * Follows all runs until none of them moves any more. Those that end meanwhile stay in view. Without a
 * terminal, a line for each change.
 */
function watchAll(context: VerbContext): Promise<ExitCode> {
  return whileWatching(async (signal) => {
    const { store, clock } = await openRecords(context);
    const { terminal } = context;
    const screen = createScreen(terminal);
    const told = new Map<string, string>();
    for (;;) {
      const all = await store.list();
      const short = shortIdsOf(all.map(({ runId }) => runId));
      const listed = all.filter((run) => isLive(run) || told.has(run.runId));
      const now = clock.now();
      // By whole ids: short ones grow when another run starts.
      const news = listed.filter((run) => told.get(run.runId) !== changeLine(context, run, now, wholeId));
      for (const run of news) told.set(run.runId, changeLine(context, run, now, wholeId));
      if (!context.json && listed.length > 0) {
        if (terminal.liveOut) screen.show(runTable(context, listed, now, short));
        else for (const run of news) terminal.out(`${changeLine(context, run, now, short)}\n`);
      }
      if (signal.aborted || !listed.some(isMoving)) {
        if (context.json || listed.length === 0) printRuns(context, listed, now, short);
        return signal.aborted ? EXIT.interrupted : EXIT.success;
      }
      await clock.sleep(WATCH_MS, signal);
    }
  });
}

const wholeId: ShortId = (runId) => runId;

/** What is worth a line: where a run stands, without the time that passes by itself. */
function changeLine(context: VerbContext, run: RunListing, now: Date, short: ShortId): string {
  const { status: each } = run;
  const step = each?.current_step_id ?? each?.last_completed_step_id ?? '';
  const state = withRepo(stateText(run, now, short), context.repo);
  return [short(run.runId), each?.workflow_id ?? '', step, state].filter((word) => word !== '').join('  ');
}

interface Standing {
  readonly current: Status;
  /** Given at the open gate, but nobody has driven the run since. */
  readonly answer: GateAnswer | null;
  readonly short: ShortId;
}

async function standingOf({ view, record, records }: OpenRun): Promise<Standing> {
  const recorded = await readRecordedPlan(record.directory, view);
  return {
    current: statusOf(view, recorded.ok ? recorded.plan : null, records.clock.now()),
    answer: view.awaiting === null ? null : await readAnswer(record.directory, view.awaiting),
    short: await shortIdsIn(records),
  };
}

async function printStatus(context: VerbContext, open: OpenRun): Promise<void> {
  const standing = await standingOf(open);
  if (context.json)
    printJson(context, {
      title: null,
      ...standing.current,
      waiting_until: parkedView(open.view)?.until ?? null,
      driver_pid: open.record.driverPid,
    });
  else context.terminal.out(renderStatus(context, standing, open));
}

function renderStatus(context: VerbContext, standing: Standing, open: OpenRun): string {
  const { current, answer } = standing;
  const { paintOut: paint } = context.terminal;
  const { driverPid } = open.record;
  const rows = [
    ['run', current.run_id],
    ...(current.title === undefined ? [] : [['title', printable(current.title)]]),
    ['workflow', current.workflow_id],
    ['state', paint.bold(stateOf(context, standing, open))],
    ['step', stepText(current)],
    ['elapsed', formatDuration(current.elapsed_seconds * 1_000)],
  ];
  if (driverPid !== null) rows.push(['driven by', `process ${driverPid}`]);
  if (current.last_decision !== null) rows.push(['last judged', current.last_decision.status]);
  const flaky = flakyText(open.view.steps.flatMap((step) => step.flaky));
  if (flaky !== null) rows.push(['flaky', flaky.replace(' flaky:', ':')]);
  if (current.refinement !== null)
    rows.push(['refinements', `${current.refinement.spent} of ${current.refinement.max} spent`]);
  const { awaiting } = open.view;
  if (awaiting !== null)
    rows.push(['waits for', `${awaiting.gate} ${timeText(awaiting, open.records.clock.now(), answer)}`]);
  const parked = parkedView(open.view);
  if (parked !== null) rows.push(['waits until', parked.until]);
  if (current.blocking_reason !== null) rows.push(['reason', printable(current.blocking_reason)]);
  rows.push(['worktree', shortenPath(current.worktree_path ?? '', textWidth(context.terminal, LABELS))]);
  return renderTable(
    rows.map(([name, value]) => [paint.dim(name ?? ''), value ?? '']),
    '',
    { width: textWidth(context.terminal, 0) },
  );
}

function stateOf(
  context: VerbContext,
  { current, answer, short }: Standing,
  { record, records }: OpenRun,
): string {
  if (answer !== null && record.driverPid === null)
    return withRepo(`answered: conductor resume ${short(current.run_id)}`, context.repo);
  const run = {
    runId: current.run_id,
    path: record.directory.path,
    status: current,
    driverPid: record.driverPid,
  };
  return withRepo(stateText(run, records.clock.now(), short), context.repo);
}

function stepText(current: Status): string {
  if (current.current_step_id === null) return current.last_completed_step_id ?? '';
  const attempt =
    current.active_attempt === 1 || current.active_attempt === null ? '' : `@${current.active_attempt}`;
  return `${current.current_step_id}${attempt}  ${current.active_opcode ?? ''}`;
}

/** Follows until the run ends or waits, and exits as the run did. */
function watchRun(context: VerbContext, first: OpenRun): Promise<ExitCode> {
  return whileWatching(async (signal) => {
    const { terminal } = context;
    const { records } = first;
    const screen = createScreen(terminal);
    let told = '';
    for (let open = first; ; open = await openRunOf(records, first.view.runId)) {
      const standing = await standingOf(open);
      const { current } = standing;
      const done =
        current.outcome !== null || current.lifecycle_state === 'waiting' || open.record.driverPid === null;
      const line = `${stateOf(context, standing, open)}  ${stepText(current)}\n`;
      if (terminal.liveOut && !context.json) screen.show(renderStatus(context, standing, open));
      else if (!context.json && !done && line !== told) terminal.out(line);
      told = line;
      if (done || signal.aborted) {
        if (context.json || !terminal.liveOut) await printStatus(context, open);
        return signal.aborted && !done ? EXIT.interrupted : exitCodeOf(current);
      }
      await records.clock.sleep(WATCH_MS, signal);
    }
  });
}

function exitCodeOf(current: Status): ExitCode {
  if (current.outcome !== null) return exitCodeOfOutcome(current.outcome);
  return current.lifecycle_state === 'waiting' ? EXIT.waiting : EXIT.interrupted;
}
