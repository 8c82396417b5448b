import { resolveRunId } from '../../../../app/runs/resolve-run.ts';
import { type Verification, verifyRun } from '../../../../app/runs/verify-run.ts';
import { type CommandContext, printJson } from '../../command-context.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { openRecords } from '../../open.ts';
import { printable, printLines, stdoutOf } from '../../output/terminal.ts';

/** Checks the record of a run. Prints the first problem; with `--json`, all of them. */
export async function verify(context: CommandContext, runRef: string): Promise<ExitCode> {
  const records = await openRecords(context);
  const runId = await resolveRunId(records, runRef);
  await records.store.fetch(runId);
  const verification = await verifyRun(await records.store.read(runId));
  const ok = verification.problems.length === 0;
  if (context.json) {
    const { events, artifacts, manifests, problems, notes } = verification;
    printJson(context, { run_id: runId, ok, events, artifacts, manifests, problems, notes });
  } else printVerification(context, runId, verification);
  return ok ? EXIT.success : EXIT.failed;
}

function printVerification({ terminal }: CommandContext, runId: string, verification: Verification): void {
  const output = stdoutOf(terminal);
  const { paint } = output;
  const { events, artifacts, manifests, problems, notes } = verification;
  const [first, ...more] = problems;
  if (first === undefined) {
    const counts = `${events} events, ${artifacts} artifacts, ${manifests} manifests`;
    printLines(output, [`${paint.green('✓')} run ${runId} verifies: ${counts}`]);
  } else {
    const where = first.line === null ? first.path : `${first.path} line ${first.line}`;
    const problem = `${printable(where)}: ${printable(first.message)}`;
    printLines(output, [`${paint.red('✗')} run ${runId} does not verify: ${problem}`]);
    if (more.length > 0) printLines(output, [`  and ${more.length} more; --json lists them`]);
  }
  printLines(
    output,
    notes.map((note) => `  ${paint.dim('note:')} ${printable(note)}`),
  );
}
