import type { EventDraft } from '../../../contracts/run/event.ts';
import type { Difference } from '../../../kernel/path-difference.ts';
import type { Comparison } from '../../../kernel/replay-against.ts';
import type { Turn, WayStep } from '../../../kernel/run-path.ts';
import type { RunEnd } from '../../../kernel/state.ts';
import { printJson, type VerbContext } from '../command-context.ts';
import { renderTable } from './table.ts';
import { printable, printLines, stdoutOf } from './terminal.ts';

export function describeEvent(event: EventDraft | null): string {
  if (event === null) return 'nothing';
  const step = event.step_id === null ? '' : ` ${event.step_id}`;
  return `${event.event_type}${step} ${JSON.stringify(event.payload)}`;
}

interface ComparedRun {
  readonly runId: string;
  readonly path: string;
  readonly comparison: Comparison;
}

export function printComparison(context: VerbContext, { runId, path, comparison }: ComparedRun): void {
  const { common, difference } = comparison;
  const output = stdoutOf(context.terminal);
  const { paint } = output;
  if (context.json) {
    printJson(context, {
      run_id: runId,
      ok: difference === null,
      against: path,
      way: common.map((step) => ({ ...stepDocument(step), to: step.turn && turnText(step.turn) })),
      difference: difference === null ? null : differenceDocument(difference),
    });
    return;
  }
  const rows = common.map(({ stepId, entry, key, turn }) => [
    stepId,
    `visit ${entry}`,
    key ?? '',
    turn === null ? '' : `→ ${printable(turnText(turn))}`,
  ]);
  output.write(renderTable(rows, '  ', { width: output.width }));
  if (difference !== null) {
    printLines(output, [`${paint.red('✗')} ${printable(differenceText(difference))}`]);
    return;
  }
  printLines(output, [
    `${paint.green('✓')} run ${runId} takes the same path through ${path}`,
    ...(comparison.recorded.end === null || comparison.recorded.cancelled
      ? [`  ${paint.dim('note:')} the record ends here`]
      : []),
  ]);
}

function turnText(turn: Turn): string {
  switch (turn.kind) {
    case 'to':
      return turn.target;
    case 'workflow_error':
      return `workflow error: ${turn.message}`;
    case 'budget':
      return `budget: ${turn.message}`;
  }
}

function endText({ lifecycle, outcome, termination }: RunEnd): string {
  return `${lifecycle} ${outcome} ${termination}`;
}

function stepDocument({ stepId, entry, key }: WayStep) {
  return { step_id: stepId, entry, key };
}

function differenceDocument(difference: Difference) {
  const noStep = { step_id: null, entry: null, key: null };
  switch (difference.kind) {
    case 'entry_step':
      return { ...difference, ...noStep };
    case 'opcode':
    case 'route': {
      const { kind, step } = difference;
      return { kind, ...stepDocument(step), ...sidesOf(difference) };
    }
    case 'end':
      return { kind: difference.kind, ...noStep, ...sidesOf(difference) };
  }
}

function sidesOf(difference: Difference): { readonly recorded: string; readonly edited: string } {
  switch (difference.kind) {
    case 'entry_step':
    case 'opcode':
      return { recorded: difference.recorded, edited: difference.edited };
    case 'route':
      return { recorded: turnText(difference.recorded), edited: turnText(difference.edited) };
    case 'end':
      return { recorded: endText(difference.recorded), edited: endText(difference.edited) };
  }
}

function differenceText(difference: Difference): string {
  const { recorded, edited } = sidesOf(difference);
  switch (difference.kind) {
    case 'entry_step':
      return `at the start: recorded → ${recorded}, edited → ${edited}`;
    case 'opcode':
      return `at step ${difference.step.stepId} (visit ${difference.step.entry}): recorded ${recorded}, edited ${edited}`;
    case 'route':
      return `at step ${difference.step.stepId} (visit ${difference.step.entry}) key ${difference.step.key}: recorded → ${recorded}, edited → ${edited}`;
    case 'end':
      return `at the end: recorded ${recorded}, edited ${edited}`;
  }
}
