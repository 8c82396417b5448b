import { statusesDocument } from '../../../../app/runs/list-runs.ts';
import { isExecuting, isUnfinished } from '../../../../app/runs/listed-state.ts';
import {
  type CurrentStatus,
  composeStatusDocument,
  type OpenRun,
  readStatus,
} from '../../../../app/runs/open-run.ts';
import { shortIdsIn } from '../../../../app/runs/resolve-run.ts';
import type { Status } from '../../../../contracts/run/run-files.ts';
import { nameDriver } from '../../../../contracts/run/run-lease.ts';
import { type ShortId, shortIdsOf } from '../../../../overview/short-ids.ts';
import type { RunListing } from '../../../../ports/run-store.ts';
import { findParked } from '../../../../runtime/record/run-view.ts';
import { isEndpointName } from '../../../../telemetry/otlp-exchange.ts';
import { shortenPath } from '../../../../text/shorten.ts';
import { type CommandContext, printJson } from '../../command-context.ts';
import { whileWatching } from '../../driving/watching.ts';
import { EXIT, type ExitCode, exitCodeOfOutcome } from '../../exit-codes.ts';
import { openRecords, openRun, openRunByRef } from '../../open.ts';
import { withRepo } from '../../output/command-text.ts';
import { flakyText } from '../../output/flaky-text.ts';
import { timeText, untilText } from '../../output/gate-lines.ts';
import { runTable, stateText } from '../../output/run-state.ts';
import { createScreen } from '../../output/screen.ts';
import { renderTable } from '../../output/table.ts';
import { formatDuration, printable, stdoutOf, textWidth } from '../../output/terminal.ts';

const WATCH_MS = 500;
/** The width of the column with the labels. */
const LABEL_WIDTH = 13;

export async function status(
  context: CommandContext,
  runRef: string | null,
  watch: boolean,
): Promise<ExitCode> {
  if (watch) context.endWithReader();
  if (runRef === null) return watch ? watchAll(context) : statusOfAll(context);
  const open = await openRun(context, runRef);
  if (watch) return watchRun(context, open);
  await printStatus(context, open);
  return EXIT.success;
}

/** Lists the runs that have not ended. */
async function statusOfAll(context: CommandContext): Promise<ExitCode> {
  const { store, clock } = await openRecords(context);
  const all = await store.list();
  printRuns(context, all.filter(isUnfinished), clock.now(), shortIdsOf(all.map(({ runId }) => runId)));
  return EXIT.success;
}

function printRuns(context: CommandContext, listed: readonly RunListing[], now: Date, short: ShortId): void {
  if (context.json) printJson(context, statusesDocument(listed));
  else if (listed.length === 0)
    context.terminal.err(withRepo('no run is active; conductor runs lists those that ended\n', context.repo));
  else context.terminal.out(runTable(stdoutOf(context.terminal), context.repo, listed, now, short));
}

/**
 * Follows all runs until no process executes any of them. Keeps showing those that end meanwhile. Without a terminal,
 * prints one line per change.
 */
function watchAll(context: CommandContext): Promise<ExitCode> {
  return whileWatching(async (signal) => {
    const { store, clock } = await openRecords(context);
    const { terminal } = context;
    const screen = createScreen(terminal);
    const lastLines = new Map<string, string>();
    for (;;) {
      const all = await store.list();
      const short = shortIdsOf(all.map(({ runId }) => runId));
      const listed = all.filter((run) => isUnfinished(run) || lastLines.has(run.runId));
      const now = clock.now();
      // Compared with whole ids, because short ids can grow when another run starts.
      const changed = listed.filter(
        (run) => lastLines.get(run.runId) !== changeLine(context, run, now, wholeId),
      );
      for (const run of changed) lastLines.set(run.runId, changeLine(context, run, now, wholeId));
      if (!context.json && listed.length > 0) {
        if (terminal.liveOut) screen.show(runTable(stdoutOf(terminal), context.repo, listed, now, short));
        else for (const run of changed) terminal.out(`${changeLine(context, run, now, short)}\n`);
      }
      if (signal.aborted || !listed.some(isExecuting)) {
        if (context.json || listed.length === 0) printRuns(context, listed, now, short);
        return signal.aborted ? EXIT.interrupted : EXIT.success;
      }
      await clock.sleep(WATCH_MS, signal);
    }
  });
}

const wholeId: ShortId = (runId) => runId;

/** The state of a run without its duration, which changes all the time. */
function changeLine(context: CommandContext, run: RunListing, now: Date, short: ShortId): string {
  const { status: each } = run;
  const step = each?.current_step_id ?? each?.last_completed_step_id ?? '';
  const state = withRepo(stateText(run, now, short), context.repo);
  return [short(run.runId), each?.workflow_id ?? '', step, state].filter((word) => word !== '').join('  ');
}

async function printStatus(context: CommandContext, open: OpenRun): Promise<void> {
  const current = await readStatus(open);
  if (context.json) printJson(context, composeStatusDocument(open, current));
  else context.terminal.out(renderStatus(context, open, current, await shortIdsIn(open.records)));
}

function renderStatus(
  context: CommandContext,
  open: OpenRun,
  current: CurrentStatus,
  short: ShortId,
): string {
  const { status: run, answer } = current;
  const { paint, width } = stdoutOf(context.terminal);
  const { driver } = open.record;
  const now = open.records.clock.now();
  const rows = [
    ['run', run.run_id],
    ...(run.title === undefined ? [] : [['title', printable(run.title)]]),
    ['workflow', run.workflow_id],
    ['state', paint.bold(describeState(context, open, current, short))],
    ['step', stepText(run)],
    ['elapsed', formatDuration(run.elapsed_seconds * 1_000)],
  ];
  if (driver !== null) rows.push(['driven by', nameDriver(driver)]);
  if (run.last_decision !== null) rows.push(['evaluation', run.last_decision.status]);
  const flaky = flakyText(open.view.steps.flatMap((step) => step.flaky));
  if (flaky !== null) rows.push(['flaky', flaky.replace(' flaky:', ':')]);
  if (run.refinement !== null)
    rows.push(['refinements', `${run.refinement.spent} of ${run.refinement.max} spent`]);
  const { awaiting } = open.view;
  if (awaiting !== null)
    rows.push(['waits for', `approval at gate ${awaiting.stepId}, ${timeText(awaiting, now, answer)}`]);
  const parked = findParked(open.view);
  if (parked !== null) rows.push(['waits until', untilText(parked.until, now)]);
  if (run.blocking_reason !== null) rows.push(['reason', printable(run.blocking_reason)]);
  for (const { target, message } of open.view.notifications.filter(({ ok }) => !ok))
    rows.push(
      isEndpointName(target)
        ? [
            'not exported',
            printable(
              `${target}: ${message ?? 'failed'}; conductor export otel ${short(run.run_id)} does it again`,
            ),
          ]
        : ['not notified', printable(`${target}: ${message ?? 'failed'}; conductor notify test tries it`)],
    );
  rows.push(['workspace', shortenPath(run.worktree_path ?? '', textWidth(context.terminal, LABEL_WIDTH))]);
  return renderTable(
    rows.map(([name, value]) => [paint.dim(name ?? ''), value ?? '']),
    '',
    { width },
  );
}

function describeState(
  context: CommandContext,
  { record, records }: OpenRun,
  { status, answer }: CurrentStatus,
  short: ShortId,
): string {
  const { driver } = record;
  if (answer !== null && driver === null)
    return withRepo(`answered: conductor resume ${short(status.run_id)}`, context.repo);
  const run = { runId: status.run_id, path: record.directory.path, status, driver };
  return withRepo(stateText(run, records.clock.now(), short), context.repo);
}

function stepText(current: Status): string {
  if (current.current_step_id === null) return current.last_completed_step_id ?? '';
  const attempt =
    current.active_attempt === 1 || current.active_attempt === null ? '' : `@${current.active_attempt}`;
  return `${current.current_step_id}${attempt}  ${current.active_opcode ?? ''}`;
}

/** Follows a run until it ends or waits, and exits with its outcome. */
function watchRun(context: CommandContext, first: OpenRun): Promise<ExitCode> {
  return whileWatching(async (signal) => {
    const { terminal } = context;
    const { records } = first;
    const screen = createScreen(terminal);
    let lastLine = '';
    for (let open = first; ; open = await openRunByRef(records, first.view.runId)) {
      const current = await readStatus(open);
      const { status: run } = current;
      const short = await shortIdsIn(records);
      const done = run.outcome !== null || run.lifecycle_state === 'waiting' || open.record.driver === null;
      const line = `${describeState(context, open, current, short)}  ${stepText(run)}\n`;
      if (terminal.liveOut && !context.json) screen.show(renderStatus(context, open, current, short));
      else if (!context.json && !done && line !== lastLine) terminal.out(line);
      lastLine = line;
      if (done || signal.aborted) {
        if (context.json || !terminal.liveOut) await printStatus(context, open);
        return signal.aborted && !done ? EXIT.interrupted : exitCodeOf(run);
      }
      await records.clock.sleep(WATCH_MS, signal);
    }
  });
}

function exitCodeOf(current: Status): ExitCode {
  if (current.outcome !== null) return exitCodeOfOutcome(current.outcome);
  return current.lifecycle_state === 'waiting' ? EXIT.waiting : EXIT.interrupted;
}
