import type { WorkSnapshot } from '../../../../runtime/work/work-engine.ts';
import { printJson, type VerbContext } from '../../command-context.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { renderBoard, renderItems } from '../../output/work/board.ts';
import { itemDocument } from '../../output/work/documents.ts';
import { oneLine } from '../../output/work/event-lines.ts';
import { withWork } from '../../output/work/session.ts';

/** The board: items by status, with why each of them waits. */
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
    const { terminal } = context;
    terminal.out(terminal.liveOut ? renderBoard(terminal, snapshot, items) : renderItems(snapshot, items));
    tellRest(context, snapshot, items.length, status);
    return EXIT.success;
  });
}

function tellRest(
  { terminal: { err } }: VerbContext,
  { unplanned, planningStopped, state }: WorkSnapshot,
  shown: number,
  status: string | null,
): void {
  if (shown === 0 && state.items.size > 0) err(`no item is ${status}\n`);
  if (state.items.size === 0)
    err('there are no work items yet; conductor work plan makes them from approved specs\n');
  if (planningStopped !== null) err(`${oneLine(planningStopped)}; conductor work plan tries it again\n`);
  else if (unplanned.length > 0)
    err(`not planned yet: ${unplanned.map(({ filePath }) => filePath).join(', ')}; conductor work plan\n`);
}
