import { type Verification, verifyRun } from '../../../../app/verify-run.ts';
import { printJson, type VerbContext } from '../../command-context.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { openRecords, resolveRunId } from '../../open.ts';
import { printable } from '../../output/terminal.ts';

/** Names the first thing that does not hold; with `--json`, all of them. */
export async function verify(context: VerbContext, wanted: string): Promise<ExitCode> {
  const records = await openRecords(context);
  const runId = await resolveRunId(records, wanted);
  const verification = await verifyRun(await records.store.read(runId));
  const ok = verification.flaws.length === 0;
  if (context.json) {
    const { events, artifacts, manifests, flaws, notes } = verification;
    printJson(context, { run_id: runId, ok, events, artifacts, manifests, problems: flaws, notes });
  } else printVerification(context, runId, verification);
  return ok ? EXIT.success : EXIT.failed;
}

function printVerification({ terminal }: VerbContext, runId: string, verification: Verification): void {
  const { out, paintOut } = terminal;
  const [first, ...more] = verification.flaws;
  if (first === undefined) {
    const { events, artifacts, manifests } = verification;
    out(
      `${paintOut.green('✓')} run ${runId} verifies: ${events} events, ${artifacts} artifacts, ${manifests} manifests\n`,
    );
  } else {
    const where = first.line === null ? first.path : `${first.path} line ${first.line}`;
    out(
      `${paintOut.red('✗')} run ${runId} does not verify: ${printable(where)}: ${printable(first.message)}\n`,
    );
    if (more.length > 0) out(`  and ${more.length} more; --json lists them\n`);
  }
  for (const note of verification.notes) out(`  ${paintOut.dim('note:')} ${printable(note)}\n`);
}
