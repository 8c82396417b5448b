import { setTimeout as sleep } from 'node:timers/promises';
import type { Status } from '../../../contracts/run-files.ts';
import type { RunListing } from '../../../ports/run-store.ts';
import { statusOf } from '../../../runtime/derived-files.ts';
import { readRecordedPlan } from '../../../runtime/recorded-run.ts';
import { EXIT, type ExitCode, exitCodeOfOutcome } from '../exit-codes.ts';
import { type OpenRun, openRecords, openRun } from '../open.ts';
import { renderTable } from '../table.ts';
import { formatDuration, printable, type Terminal } from '../terminal.ts';
import { printJson, type VerbContext } from '../verb.ts';
import { rowOf } from './runs.ts';

const WATCH_MS = 500;

export async function status(context: VerbContext, wanted: string | null, watch: boolean): Promise<ExitCode> {
  if (wanted === null) return watch ? watchAll(context) : statusOfAll(context);
  const open = await openRun(context, wanted);
  if (watch) return watchRun(context, open);
  await printStatus(context, open);
  return EXIT.success;
}

/** Runs that have not ended; a person rarely asks where the others stand. */
async function liveRuns(context: VerbContext): Promise<RunListing[]> {
  const { store } = await openRecords(context);
  const listed = await store.list();
  return listed.filter(({ status: each }) => each === null || each.outcome === null);
}

async function statusOfAll(context: VerbContext): Promise<ExitCode> {
  const live = await liveRuns(context);
  if (context.json)
    printJson(context, {
      runs: live.map(({ runId, status: each, driverPid }) => ({
        run_id: runId,
        ...each,
        driver_pid: driverPid,
      })),
    });
  else if (live.length === 0)
    context.terminal.err('no run is under way; conductor runs lists those that ended\n');
  else context.terminal.out(renderTable(live.map((run) => rowOf(run, context.terminal.paintOut))));
  return EXIT.success;
}

/** Follows all runs until none of them moves any more. */
async function watchAll(context: VerbContext): Promise<ExitCode> {
  const screen = createScreen(context.terminal);
  for (;;) {
    const live = await liveRuns(context);
    const moving = live.some(({ driverPid }) => driverPid !== null);
    if (!moving) return statusOfAll(context);
    if (!context.json) screen.show(renderTable(live.map((run) => rowOf(run, context.terminal.paintOut))));
    await sleep(WATCH_MS);
  }
}

/** Shows a text in place of the one before; without a terminal, one after the other. */
function createScreen(terminal: Terminal): { readonly show: (text: string) => void } {
  let shown = '';
  return {
    show: (text) => {
      if (text === shown) return;
      if (terminal.live && shown !== '') terminal.out(`\u001b[${shown.split('\n').length - 1}A\u001b[J`);
      terminal.out(text);
      shown = text;
    },
  };
}

async function currentStatus({ view, record, records }: OpenRun): Promise<Status> {
  const recorded = await readRecordedPlan(record.directory, view);
  return statusOf(view, recorded.ok ? recorded.plan : null, records.clock.now());
}

async function printStatus(context: VerbContext, open: OpenRun): Promise<void> {
  const current = await currentStatus(open);
  if (context.json) {
    printJson(context, { ...current, driver_pid: open.record.driverPid });
    return;
  }
  context.terminal.out(renderStatus(context.terminal, current, open));
}

function renderStatus({ paintOut: paint }: Terminal, current: Status, open: OpenRun): string {
  const driven = open.record.driverPid !== null;
  const lost = current.lifecycle_state === 'running' && !driven;
  const state = lost
    ? `interrupted; conductor resume ${current.run_id} takes it up`
    : (current.outcome ?? current.lifecycle_state);
  const rows = [
    ['run', current.run_id],
    ['workflow', current.workflow_id],
    ['state', paint.bold(state)],
    ['step', stepText(current)],
    ['elapsed', formatDuration(current.elapsed_seconds * 1_000)],
  ];
  if (driven) rows.push(['driven by', `process ${open.record.driverPid}`]);
  if (current.last_decision !== null) rows.push(['last judged', current.last_decision.status]);
  if (current.refinement !== null)
    rows.push(['refinements', `${current.refinement.spent} of ${current.refinement.max} spent`]);
  if (current.awaiting !== null)
    rows.push([
      'waits for',
      `${current.awaiting.gate}${current.awaiting.expires_at === null ? '' : ` until ${current.awaiting.expires_at}`}`,
    ]);
  if (current.blocking_reason !== null) rows.push(['reason', printable(current.blocking_reason)]);
  rows.push(['worktree', current.worktree_path ?? '']);
  return renderTable(rows.map(([name, value]) => [paint.dim(name ?? ''), value ?? '']));
}

function stepText(current: Status): string {
  if (current.current_step_id === null) return current.last_completed_step_id ?? '';
  const attempt =
    current.active_attempt === 1 || current.active_attempt === null ? '' : `@${current.active_attempt}`;
  return `${current.current_step_id}${attempt}  ${current.active_opcode ?? ''}`;
}

/** Follows until the run ends or waits, and exits as the run did. */
async function watchRun(context: VerbContext, first: OpenRun): Promise<ExitCode> {
  let open = first;
  const screen = createScreen(context.terminal);
  for (;;) {
    const current = await currentStatus(open);
    if (!context.json) screen.show(renderStatus(context.terminal, current, open));
    const done =
      current.outcome !== null || current.lifecycle_state === 'waiting' || open.record.driverPid === null;
    if (done) {
      if (context.json) printJson(context, { ...current, driver_pid: open.record.driverPid });
      if (current.outcome !== null) return exitCodeOfOutcome(current.outcome);
      return current.lifecycle_state === 'waiting' ? EXIT.waiting : EXIT.interrupted;
    }
    await sleep(WATCH_MS);
    open = await openRun(context, open.view.runId);
  }
}
