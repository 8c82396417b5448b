import type { OpenWork } from '../../../../app/work/opened-work.ts';
import { itemDocument } from '../../../../app/work/show-item.ts';
import type { WorkDriving, WorkEnd } from '../../../../app/work/work-end.ts';
import { growingShortIds } from '../../../../overview/short-ids.ts';
import { type CommandContext, printJson } from '../../command-context.ts';
import { whileInterruptible } from '../../driving/driving.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { printLines, stderrOf } from '../terminal.ts';
import { createWorkProgress } from './progress.ts';
import { withTrustedWork } from './session.ts';

const EXIT_OF: Readonly<Record<WorkEnd['kind'], ExitCode>> = {
  done: EXIT.success,
  waiting: EXIT.waiting,
  blocked: EXIT.blocked,
  failed: EXIT.failed,
  stopped: EXIT.interrupted,
};

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
      return EXIT_OF[end.kind];
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
  { ok, reason, help }: Omit<WorkEnd, 'kind'>,
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
