import { commandsForNeed } from '../../../../app/runs/next-commands.ts';
import type { OpenRun } from '../../../../app/runs/open-run.ts';
import { stepState } from '../../../../app/runs/path-text.ts';
import { shortIdsIn } from '../../../../app/runs/resolve-run.ts';
import { runDocument } from '../../../../app/runs/run-document.ts';
import { type NeededAction, type ShownStep, showRun } from '../../../../app/runs/show-run.ts';
import { type CommandContext, printJson } from '../../command-context.ts';
import { openGateLines } from '../../driving/driving.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { openRun } from '../../open.ts';
import { withRepo } from '../../output/command-text.ts';
import { stepLine } from '../../output/progress.ts';
import { renderSummary } from '../../output/summary.ts';
import { type Paint, printable, printLines, stdoutOf } from '../../output/terminal.ts';

export async function show(context: CommandContext, runRef: string): Promise<ExitCode> {
  const open = await openRun(context, runRef);
  const { view, record } = open;
  const shown = await showRun(open);
  if (context.json) {
    printJson(context, runDocument(view, record.directory.path, shown.findings));
    return EXIT.success;
  }
  const output = stdoutOf(context.terminal);
  const id = (await shortIdsIn(open.records))(view.runId);
  output.write(
    renderSummary(output, {
      view,
      id,
      driven: record.driver !== null,
      runDirectory: record.directory.path,
      diffStat: [],
      findings: shown.findings,
      checks: shown.notes,
      gate: await openGateLines(context.terminal, open.records, view, record),
      nextCommands: commandsFor(shown.needs, open, id).map((command) => withRepo(command, context.repo)),
      now: open.records.clock.now(),
      width: output.width,
    }),
  );
  if (view.steps.length > 0) printLines(output, [output.paint.bold('  steps')]);
  for (const each of shown.steps) printLines(output, stepLines(output.paint, open, each));
  return EXIT.success;
}

/** Only a run that waits gets suggestions: looking at another one needs no next step, and this is `show` itself. */
function commandsFor(needs: NeededAction | null, { view }: OpenRun, id: string): string[] {
  const commands = needs === null ? [] : commandsForNeed(needs, view, id);
  return commands.filter((command) => !command.startsWith('conductor show'));
}

function stepLines(
  paint: Paint,
  { view, record }: OpenRun,
  { step, reasons, evidence }: ShownStep,
): string[] {
  // The reasons of an evaluation contain the short reason of its step.
  const shortened = reasons.length === 0 ? step : { ...step, reason: null };
  const unended = stepState(view, step, record.driver !== null);
  return [
    `    ${stepLine({ paint }, shortened, { unended })}`,
    ...reasons.map((line) => `        ${printable(line)}`),
    ...evidence.map(({ role, path }) => `        ${paint.dim(`${role}  ${path}`)}`),
  ];
}
