import { explainWait } from '../../../../app/engine/explain-wait.ts';
import { formatLabel } from '../../../../app/engine/labels.ts';
import { shortIdsOf } from '../../../../overview/short-ids.ts';
import type { KnownWorker } from '../../../../ports/engine.ts';
import { type CommandContext, printJson } from '../../command-context.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { openRecords } from '../../open.ts';
import { renderTable } from '../../output/table.ts';
import { printable, stdoutOf } from '../../output/terminal.ts';

/** Shows the workers of the engine, its queue, and what each queued run waits for. */
export async function engineStatus(context: CommandContext): Promise<ExitCode> {
  const { store, clock } = await openRecords(context);
  const [queue, workers] = [await store.queue(), await store.workers()];
  const rows = queue.map((run) => ({ ...run, reason: explainWait(run, workers, clock.now()) }));
  const drivenBy = (worker: Pick<KnownWorker, 'pid' | 'host'>) =>
    rows.filter(({ driver }) => driver?.pid === worker.pid && driver.host === worker.host).length;
  if (context.json) {
    printJson(context, {
      kind: store.kind,
      workers: workers.map(({ problems, ...worker }) => ({
        ...worker,
        busy: drivenBy(worker),
        problems: problems.map(({ runId, message, retryAt }) => ({
          run_id: runId,
          message,
          retry_at: retryAt,
        })),
      })),
      queue: rows.map(({ runId, needs, dueAt, driver, reason }) => ({
        run_id: runId,
        needs,
        due_at: dueAt,
        driver_pid: driver?.pid ?? null,
        reason,
      })),
    });
    return EXIT.success;
  }
  const { paint, width } = stdoutOf(context.terminal);
  const { out } = context.terminal;
  out(`${paint.bold('workers')}\n`);
  out(
    workers.length === 0
      ? '  none; start one with conductor worker\n'
      : renderTable(
          workers.map((worker) => [
            worker.name,
            `${drivenBy(worker)} of ${worker.slots} slots`,
            worker.labels.map(formatLabel).join(' '),
          ]),
          '  ',
          { width },
        ),
  );
  out(`${paint.bold('queue')}\n`);
  const short = shortIdsOf(rows.map(({ runId }) => runId));
  out(
    rows.length === 0
      ? '  empty\n'
      : renderTable(
          rows.map(({ runId, reason }) => [short(runId), printable(reason.text)]),
          '  ',
          { width },
        ),
  );
  return EXIT.success;
}
