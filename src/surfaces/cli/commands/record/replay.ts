import type { OpenRun } from '../../../../app/runs/open-run.ts';
import { checkForReplay, replayAgainst, replayRun } from '../../../../app/runs/replay-run.ts';
import { renderJson } from '../../../../diagnostics/render-json.ts';
import type { Replay } from '../../../../kernel/replay.ts';
import type { DerivedFindings } from '../../../../runtime/verify/verify-derived.ts';
import { formatJson } from '../../../../text/outside-text.ts';
import { CliError } from '../../cli-error.ts';
import { type CommandContext, printJson } from '../../command-context.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { openRun } from '../../open.ts';
import { printRefusal } from '../../output/refused-document.ts';
import { describeEvent, printComparison } from '../../output/replay-text.ts';
import { printable, printLines, stdoutOf } from '../../output/terminal.ts';
import { readSource } from '../workflow/validate.ts';

export async function replay(
  context: CommandContext,
  runRef: string,
  against: string | null,
): Promise<ExitCode> {
  const open = await openRun(context, runRef);
  return against === null ? replayAlone(context, open) : replayThrough(context, open, against);
}

async function replayAlone(context: CommandContext, open: OpenRun): Promise<ExitCode> {
  const { runId } = open.view;
  const replayed = await replayRun(open);
  if (!replayed.ok)
    throw new CliError(
      `run ${runId} can't be replayed: ${replayed.message}`,
      `conductor verify ${runId} checks the rest of its record`,
      EXIT.failed,
    );
  const { replay: made, derived } = replayed;
  const ok = made.difference === null && derived.problems.length === 0;
  if (context.json) printJson(context, { run_id: runId, ok, ...replayDocument(made, derived) });
  else printReplay(context, runId, made, derived);
  return ok ? EXIT.success : EXIT.failed;
}

function replayDocument({ decided, carried, difference, cut }: Replay, derived: DerivedFindings) {
  return {
    decided,
    carried,
    cut,
    difference:
      difference === null
        ? null
        : {
            seq: difference.index,
            line: difference.index + 1,
            expected: difference.expected,
            recorded: difference.recorded,
          },
    problems: derived.problems,
    notes: derived.notes,
  };
}

function printReplay(
  { terminal }: CommandContext,
  runId: string,
  { decided, carried, difference, cut }: Replay,
  derived: DerivedFindings,
): void {
  const output = stdoutOf(terminal);
  const { paint } = output;
  const [problem] = derived.problems;
  const broken = `${paint.red('✗')} run ${runId} does not replay:`;
  if (difference !== null)
    printLines(output, [
      `${broken} event ${difference.index} (line ${difference.index + 1}) differs`,
      `  expected  ${printable(describeEvent(difference.expected))}`,
      `  recorded  ${printable(describeEvent(difference.recorded))}`,
    ]);
  else if (problem !== undefined)
    printLines(output, [`${broken} ${problem.path}: ${printable(problem.message)}`]);
  else
    printLines(output, [
      `${paint.green('✓')} run ${runId} replays: ${decided} events decided again, ${carried} copied from the record`,
    ]);
  const notes = [
    ...(cut ? ['the log stops in the middle of a decision; conductor resume continues the run'] : []),
    ...derived.notes,
  ];
  printLines(
    output,
    notes.map((note) => `  ${paint.dim('note:')} ${printable(note)}`),
  );
}

async function replayThrough(context: CommandContext, open: OpenRun, path: string): Promise<ExitCode> {
  const checked = checkForReplay(open.view, { name: path, bytes: await readSource(path) });
  if (checked.plan === null) {
    if (context.json) context.terminal.out(`${formatJson(renderJson([{ path, ...checked }]))}\n`);
    else printRefusal(context.terminal, { name: path, ...checked });
    return EXIT.usage;
  }
  const comparison = replayAgainst(open, checked.plan);
  printComparison(context, { runId: open.view.runId, path, comparison });
  return comparison.difference === null ? EXIT.success : EXIT.failed;
}
