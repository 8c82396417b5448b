import { isExpectedFailure, tellFailure } from '../../contracts/expected-failure.ts';
import type { Plan } from '../../kernel/plan.ts';
import type { RunDirectory } from '../../ports/run-store.ts';
import { ApprovalVoid } from '../../runtime/approval.ts';
import type { DriveEnd } from '../../runtime/drive.ts';
import { findingsOf } from '../../runtime/findings.ts';
import { workspaceOf } from '../../runtime/recorded-run.ts';
import { TakenOver } from '../../runtime/resume-run.ts';
import type { RunView } from '../../runtime/run-view.ts';
import type { OpenProject } from '../../runtime/services.ts';
import { allNotes } from '../../runtime/standing-checks.ts';
import { CliError } from './cli-error.ts';
import { withRepo } from './command-text.ts';
import { diffStatLines } from './diff-stat.ts';
import { EXIT, type ExitCode, exitCodeOf } from './exit-codes.ts';
import { gateLines } from './gate-lines.ts';
import { recordError, shortIdsIn } from './open.ts';
import { createProgress, type Progress } from './progress.ts';
import { runDocument } from './run-document.ts';
import { nextCommands, renderSummary } from './summary.ts';
import { textWidth } from './terminal.ts';
import { printJson, type VerbContext } from './verb.ts';

const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export interface DrivingRequest {
  readonly planOf: () => Plan | null;
  /** Kills whatever the run has started. */
  readonly endProcesses: () => Promise<unknown>;
}

export interface Driving {
  readonly signal: AbortSignal;
  readonly progress: Progress;
}

/**
 * Runs `work` with live progress and with Ctrl-C as a clean interruption: the first stops the step and
 * leaves the run to be resumed.
 */
export async function whileDriving<T>(
  context: VerbContext,
  request: DrivingRequest,
  work: (driving: Driving) => Promise<T>,
): Promise<T> {
  const progress = createProgress(context.terminal, request.planOf);
  const message = 'interrupting; the run can be resumed (press again to leave at once)';
  try {
    return await whileInterruptible(context, { ...request, message }, (signal) => work({ signal, progress }));
  } catch (error) {
    if (error instanceof TakenOver)
      throw new CliError(
        `this process stopped: ${error.message}`,
        'nothing that is on record is lost, and the other process continues the run: conductor status --watch',
        EXIT.failed,
      );
    if (isExpectedFailure(error)) {
      const { message, wayOut } = tellFailure(error);
      throw new CliError(
        `the run stopped: ${message}`,
        `nothing that is on record is lost; ${wayOut ?? 'fix this'}, then conductor resume continues the run`,
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
  /** Said at the first Ctrl-C. */
  readonly message: string;
}

/** The first Ctrl-C fires the signal; the second ends what is still there by force, and then this process. */
export async function whileInterruptible<T>(
  context: VerbContext,
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

/** Tells how a drive came back, on stderr for people or as one document on stdout. */
export async function reportEnd(
  context: VerbContext,
  project: OpenProject,
  end: DriveEnd,
  commands: readonly string[] | null = null,
): Promise<ExitCode> {
  const read = await project.store.read(end.view.runId);
  if (!read.ok) throw recordError(end.view.runId, read.problem);
  const { directory } = read.run;
  const findings = await findingsOf(directory, end.view.steps);
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
        gate: await openGateLines(context.terminal, project, end.view, directory),
        nextCommands: (commands ?? nextCommands(end, id)).map((command) => withRepo(command, context.repo)),
        width: context.terminal.live ? context.terminal.columns() : Number.POSITIVE_INFINITY,
      }),
    );
  }
  return exitCodeOf(end);
}

/** What a run that waits asks a person. */
export async function openGateLines(
  terminal: VerbContext['terminal'],
  { clock }: Pick<OpenProject, 'clock'>,
  { awaiting }: RunView,
  directory: RunDirectory,
): Promise<string[]> {
  return awaiting === null ? [] : gateLines(directory, awaiting, clock.now(), textWidth(terminal, 4));
}

/** What the run has changed so far, as its steps recorded it. */
async function diffStat(project: OpenProject, view: RunView, directory: RunDirectory): Promise<string[]> {
  const workspace = workspaceOf(view, directory, {
    repoRoot: project.repoRoot,
    workspace: project.deps.workspace,
  });
  const from = view.started.base_tree;
  return diffStatLines(
    await project.deps.workspace.diff(workspace, from, view.state.tree ?? view.headSha ?? from),
  );
}
