import { itemDocument } from '../../../../app/work/show-item.ts';
import type { WorkSnapshot } from '../../../../runtime/work/work-engine.ts';
import { printJson, type VerbContext } from '../../command-context.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { printLines, stderrOf, stdoutOf } from '../../output/terminal.ts';
import { renderBoard, renderItems } from '../../output/work/board.ts';
import { oneLine } from '../../output/work/event-lines.ts';
import { withWork } from '../../output/work/session.ts';

/** Shows the items by status, with the reason why each of them waits. */
export async function list(context: VerbContext, status: string | null): Promise<ExitCode> {
  return withWork(context, { jobs: null }, async ({ engine }) => {
    const snapshot = await engine.snapshot();
    const items = [...snapshot.state.items.values()].filter(
      ({ item }) => status === null || item.status === status,
    );
    if (context.json) {
      printJson(context, {
        items: items.map((known) => itemDocument(snapshot, known)),
        unplanned: snapshot.unplanned.map(({ filePath }) => filePath),
        planning_stopped: snapshot.planningStopped,
      });
      return EXIT.success;
    }
    const { liveOut } = context.terminal;
    const output = stdoutOf(context.terminal);
    output.write(liveOut ? renderBoard(output, snapshot, items) : renderItems(snapshot, items));
    printRest(context, snapshot, items.length, status);
    return EXIT.success;
  });
}

function printRest(
  { terminal }: VerbContext,
  { unplanned, planningStopped, state }: WorkSnapshot,
  shown: number,
  status: string | null,
): void {
  const lines: string[] = [];
  if (shown === 0 && state.items.size > 0) lines.push(`no item is ${status}`);
  if (state.items.size === 0)
    lines.push('there are no work items yet; conductor work plan creates them from approved specs');
  if (planningStopped !== null) lines.push(`${oneLine(planningStopped)}; conductor work plan tries it again`);
  else if (unplanned.length > 0)
    lines.push(
      `not planned yet: ${unplanned.map(({ filePath }) => filePath).join(', ')}; conductor work plan`,
    );
  printLines(stderrOf(terminal), lines);
}
