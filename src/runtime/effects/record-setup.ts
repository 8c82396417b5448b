import type { EventDraft } from '../../contracts/run/event.ts';
import type { SetupCommand, SetupResult } from '../../ports/workspace/setup.ts';
import { formatCommand } from '../../text/shell-words.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { Interrupted, type RunContext } from '../run-context.ts';

/** Records evidence and event of one setup. A setup that had nothing to do leaves none. */
export async function recordSetup(
  context: RunContext,
  evidence: Evidence,
  checkout: 'work' | 'judge',
  result: SetupResult,
): Promise<void> {
  if (!result.ok && result.cancelled) throw new Interrupted();
  if (result.ok && result.digest === null) return;
  await recordSetupOutput(evidence, result);
  const outcome = result.ok ? 'completed' : 'error';
  const reason = result.ok ? null : result.reason;
  await evidence.json('setup_report', 'setup.json', {
    schema_version: 1,
    checkout,
    outcome,
    digest: result.ok ? result.digest : null,
    cache_hit: result.ok && result.cacheHit,
    commands: result.commands.map(commandRecord),
    notes: result.notes,
    foreign: result.ok ? [] : result.foreign,
    reason,
  });
  const completed: EventDraft = {
    event_type: 'setup_completed',
    step_id: null,
    payload: {
      checkout,
      digest: result.ok ? result.digest : null,
      cache_hit: result.ok && result.cacheHit,
      commands: result.commands.map(commandRecord),
      outcome,
      reason,
    },
  };
  await context.record([...(await evidence.close(outcome, reason ?? 'setup completed')), completed]);
}

/** Records the output of a setup's commands. */
export async function recordSetupOutput(evidence: Evidence, result: SetupResult | null): Promise<void> {
  for (const { stdoutPath, stderrPath } of result?.commands ?? [])
    for (const path of [stdoutPath, stderrPath]) await evidence.file('setup_output', path);
}

function commandRecord({ command, exitCode, durationMs }: SetupCommand) {
  return { command: formatCommand(command), exit_code: exitCode, duration_ms: durationMs };
}
