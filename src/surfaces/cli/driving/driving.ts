import type { OpenProject } from '../../../app/opened.ts';
import { retainAfterRun } from '../../../app/runs/clean-runs.ts';
import { nextCommands } from '../../../app/runs/next-commands.ts';
import { shortIdsIn } from '../../../app/runs/resolve-run.ts';
import { runDocument } from '../../../app/runs/run-document.ts';
import { describeFailure, isExpectedFailure } from '../../../contracts/expected-failure.ts';
import type { Plan } from '../../../kernel/plan.ts';
import type { RunDirectory, RunRecord } from '../../../ports/run-store.ts';
import type { DriveEnd } from '../../../runtime/drive/drive.ts';
import { TakenOver } from '../../../runtime/drive/resume-run.ts';
import { collectFindings } from '../../../runtime/evidence/findings.ts';
import { allNotes } from '../../../runtime/evidence/standing-checks.ts';
import { ApprovalVoid } from '../../../runtime/gates/approval.ts';
import { locateWorkspace } from '../../../runtime/record/recorded-run.ts';
import type { RunView } from '../../../runtime/record/run-view.ts';
import { CliError } from '../cli-error.ts';
import { type CommandContext, printJson } from '../command-context.ts';
import { EXIT, type ExitCode, exitCodeOfEnd } from '../exit-codes.ts';
import { recordError } from '../open.ts';
import { withRepo } from '../output/command-text.ts';
import { diffStatLines } from '../output/diff-stat.ts';
import { gateLines } from '../output/gate-lines.ts';
import { createProgress, type Progress } from '../output/progress.ts';
import { retainedLines } from '../output/retention-report.ts';
import { renderSummary } from '../output/summary.ts';
import { printable, printLines, stderrOf, textWidth } from '../output/terminal.ts';
import { whileWatching } from './watching.ts';

const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export interface DrivingRequest {
  readonly planOf: () => Plan | null;
  /** Kills all processes that the run has started. */
  readonly endProcesses: () => Promise<unknown>;
}

export interface Driving {
  readonly signal: AbortSignal;
  readonly progress: Progress;
}

/**
 * Runs `work` with live progress. The first Ctrl-C interrupts the run cleanly: it stops the current step, and the run
 * can be resumed.
 */
export async function whileDriving<T>(
  context: CommandContext,
  request: DrivingRequest,
  work: (driving: Driving) => Promise<T>,
): Promise<T> {
  const progress = createProgress(context.terminal, request.planOf);
  const message = 'interrupting; the run can be resumed (press again to exit at once)';
  try {
    return await whileInterruptible(context, { ...request, message }, (signal) => work({ signal, progress }));
  } catch (error) {
    if (error instanceof TakenOver)
      throw new CliError(
        `this process stopped: ${error.message}`,
        'the record is complete, and the other process continues the run: conductor status --watch',
        EXIT.failed,
      );
    if (isExpectedFailure(error)) {
      const { message, fix } = describeFailure(error);
      throw new CliError(
        `the run stopped: ${message}`,
        `the record is complete; ${fix ?? 'fix this'}, then conductor resume continues the run`,
        EXIT.failed,
      );
    }
    if (!(error instanceof ApprovalVoid)) throw error;
    throw new CliError(
      error.message,
      'nothing was done; restore the file and resume, or cancel the run',
      EXIT.failed,
    );
  } finally {
    progress.stop();
  }
}

export interface Interruption extends Pick<DrivingRequest, 'endProcesses'> {
  /** Printed at the first Ctrl-C. */
  readonly message: string;
}

/** The first Ctrl-C aborts the signal; the second kills the remaining processes and exits. */
export async function whileInterruptible<T>(
  context: CommandContext,
  { endProcesses, message }: Interruption,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  context.keepRunning();
  const onSignal = () => {
    if (controller.signal.aborted) {
      const leave = () => process.exit(EXIT.interrupted);
      endProcesses().then(leave, leave);
      return;
    }
    context.terminal.err(`\n${message}\n`);
    controller.abort();
  };
  const signals = STOP_SIGNALS.filter((name) => name !== 'SIGHUP' || context.leaveTerminal === null);
  for (const name of signals) process.on(name, onSignal);
  try {
    return await work(controller.signal);
  } finally {
    for (const name of signals) process.off(name, onSignal);
  }
}

/** Prints the end of a drive: a summary on stderr, or one JSON document on stdout. */
export async function reportEnd(
  context: CommandContext,
  project: OpenProject,
  end: DriveEnd,
  commands: readonly string[] | null = null,
): Promise<ExitCode> {
  const read = await project.store.read(end.view.runId);
  if (!read.ok) throw recordError(end.view.runId, read.problem);
  const { directory } = read.run;
  const findings = await collectFindings(directory, end.view.steps);
  if (context.json) printJson(context, runDocument(end.view, directory.path, findings));
  else {
    const id = (await shortIdsIn(project))(end.view.runId);
    context.terminal.err(
      renderSummary(context.terminal, {
        view: end.view,
        id,
        driven: false,
        runDirectory: directory.path,
        diffStat: end.view.awaiting === null ? await diffStat(project, end.view, directory) : [],
        findings,
        checks: await allNotes({ directory, view: () => end.view }),
        gate: await openGateLines(context.terminal, project, end.view, read.run),
        nextCommands: (commands ?? nextCommands(end, id)).map((command) => withRepo(command, context.repo)),
        now: project.clock.now(),
        width: stderrOf(context.terminal).width,
      }),
    );
  }
  if (end.kind === 'ended') await retainRuns(context, end.view.runId);
  return exitCodeOfEnd(end);
}

/** Applies the retention after the result is printed. A problem is reported and never changes the result. */
async function retainRuns(context: CommandContext, justEnded: string): Promise<void> {
  const notes = stderrOf(context.terminal);
  try {
    const opened = await (await context.services()).openUpkeep(context.startDir);
    if (!opened.ok) return;
    const short = await shortIdsIn(opened.value);
    const handled = await whileWatching((signal) => retainAfterRun(opened.value, justEnded, signal));
    printLines(notes, retainedLines(handled, short));
  } catch (error) {
    printLines(notes, [`the retention could not be applied: ${printable(describeFailure(error).message)}`]);
  }
}

/** The open gate of a run as lines; empty if no gate is open. */
export async function openGateLines(
  terminal: CommandContext['terminal'],
  records: Pick<OpenProject, 'clock' | 'store'>,
  { awaiting, runId }: RunView,
  record: Pick<RunRecord, 'directory' | 'inbox'>,
): Promise<string[]> {
  if (awaiting === null) return [];
  const id = (await shortIdsIn(records))(runId);
  return gateLines(record, awaiting, records.clock.now(), textWidth(terminal, 4), id);
}

/** The changes of the run so far, up to the tree that its last step recorded. */
async function diffStat(project: OpenProject, view: RunView, directory: RunDirectory): Promise<string[]> {
  const workspace = locateWorkspace(view, directory, {
    repoRoot: project.repoRoot,
    workspace: project.deps.workspace,
  });
  const from = view.started.base_tree;
  return diffStatLines(
    await project.deps.workspace.diff(workspace, from, view.state.tree ?? view.headSha ?? from),
  );
}
