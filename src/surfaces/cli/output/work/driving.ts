import type { OpenWork } from '../../../../app/work/opened-work.ts';
import { itemDocument } from '../../../../app/work/show-item.ts';
import type { JournalEntry } from '../../../../contracts/work/work-event.ts';
import { growingShortIds, type ShortId } from '../../../../overview/short-ids.ts';
import type { WorkSnapshot } from '../../../../runtime/work/work-engine.ts';
import type { SessionEnd } from '../../../../work/engine/protocol.ts';
import { isTerminal } from '../../../../work/items/status-table.ts';
import { type CommandContext, printJson } from '../../command-context.ts';
import { whileInterruptible } from '../../driving/driving.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { printLines, stderrOf } from '../terminal.ts';
import { createWorkProgress } from './progress.ts';
import { withTrustedWork } from './session.ts';

export interface WorkDriving {
  readonly work: OpenWork;
  readonly person: string;
  readonly signal: AbortSignal;
  readonly onEvent: (entry: JournalEntry) => void;
  readonly onProblem: (message: string) => void;
  readonly short: ShortId;
}

export interface WorkEnd {
  readonly code: ExitCode;
  readonly ok: boolean;
  /** A message for the user; null if there is nothing to report. */
  readonly reason: string | null;
  readonly help: string | null;
}

/** Runs agents on items with live progress. Ctrl-C stops them cleanly: their runs can be resumed. */
export async function driveWork(
  context: CommandContext,
  options: { readonly jobs: number | null; readonly as: string | null },
  drive: (driving: WorkDriving) => Promise<WorkEnd>,
): Promise<ExitCode> {
  const progress = createWorkProgress(context.terminal);
  try {
    return await withTrustedWork(context, { jobs: options.jobs, observe: progress.observe }, async (work) => {
      const before = (await work.engine.snapshot()).state;
      const short = growingShortIds(await work.store.match(''));
      progress.begin(before, short);
      const end = await whileInterruptible(
        context,
        {
          message: 'stopping; the runs can be resumed (press again to exit at once)',
          endProcesses: () => Promise.all(progress.runIds().map(work.deps.sweep)),
        },
        async (signal) =>
          drive({
            work,
            signal,
            person: options.as ?? (await work.userName()),
            onEvent: progress.onEvent,
            onProblem: progress.onProblem,
            short,
          }),
      );
      progress.stop();
      await report(context, work, before.seq, end);
      return end.code;
    });
  } finally {
    progress.stop();
  }
}

/** Prints the events since `after` as one JSON document; without `--json`, only the reason and the help. */
export async function report(
  context: CommandContext,
  work: OpenWork,
  after: number,
  { ok, reason, help }: WorkEnd,
): Promise<void> {
  if (!context.json) {
    const output = stderrOf(context.terminal);
    const { paint } = output;
    if (reason !== null) printLines(output, [`${ok ? paint.yellow('!') : paint.red('✗')} ${reason}`]);
    if (help !== null) printLines(output, [`  ${paint.dim('help:')} ${help}`]);
    return;
  }
  const events = (await work.history()).filter(({ seq }) => seq > after);
  const snapshot = await work.engine.snapshot();
  const items = [...snapshot.state.items.values()].map((known) => itemDocument(snapshot, known));
  printJson(context, { ok, reason, help, events, items });
}

/** The result of a loop that has stopped or is idle: which of these items are unfinished, and what the user can do. */
export function endOfLoop(
  end: SessionEnd,
  { state }: WorkSnapshot,
  ids: readonly string[],
  single: boolean,
): WorkEnd {
  if (end.kind === 'stopped')
    return {
      code: EXIT.interrupted,
      ok: false,
      reason: 'stopped',
      help: 'run the same command again to continue',
    };
  const [problem] = end.problems;
  if (problem !== undefined)
    return {
      code: EXIT.failed,
      ok: false,
      reason: end.problems.join('; '),
      help: 'conductor work list shows the items; fix this, then dispatch the item by its id',
    };
  const left = ids.flatMap((id) => state.items.get(id) ?? []).filter(({ item }) => !isTerminal(item.status));
  const [first] = left;
  if (first === undefined) return { code: EXIT.success, ok: true, reason: null, help: null };
  const { id, status } = first.item;
  if (single && (status === 'blocked' || status === 'needs-refinement'))
    return {
      code: EXIT.blocked,
      ok: false,
      reason: `item ${id} is ${status}: ${first.statusReason}`,
      help: `conductor work show ${id}; then conductor work transition ${id} pending --reason "…"`,
    };
  return {
    code: EXIT.waiting,
    ok: true,
    reason: single
      ? `item ${id} is ${status} and waits`
      : `${left.length} of ${ids.length} items wait: ${left.map(({ item }) => item.id).join(', ')}`,
    help: 'conductor work list shows why',
  };
}
