import { shortIdsIn } from '../../../../app/runs/resolve-run.ts';
import type { UserCommands } from '../../../../app/work/apply-result.ts';
import { expectDone } from '../../../../app/work/expect-done.ts';
import type { OpenWork } from '../../../../app/work/opened-work.ts';
import { refuseAnswer } from '../../../../runtime/gates/refuse-answer.ts';
import type { WorkSnapshot } from '../../../../runtime/work/work-engine.ts';
import { itemOf } from '../../../../work/engine/command.ts';
import { CliError } from '../../cli-error.ts';
import type { CommandContext } from '../../command-context.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { printLines, stdoutOf } from '../terminal.ts';
import { report } from './driving.ts';
import { createEventLines } from './event-lines.ts';
import { withTrustedWork } from './session.ts';

/** Executes a user's commands and prints the resulting events, including those of items that become free. */
export async function executeAsUser(
  context: CommandContext,
  as: string | null,
  use: (commands: UserCommands) => Promise<void>,
): Promise<ExitCode> {
  return withTrustedWork(context, { jobs: null }, async (work) => {
    const answerer = await work.answerer();
    const obstacle = refuseAnswer(answerer, work.answers);
    if (obstacle !== null) throw new CliError(obstacle.message, obstacle.help, EXIT.failed);
    // First complete unfinished commands and record ended runs: guards must see the current state.
    await work.engine.recover();
    const snapshot = await work.engine.snapshot();
    const person = as ?? (await work.userName());
    await use({
      work,
      snapshot,
      execute: async (command, key) =>
        expectDone(await work.engine.executeCommand(command, person, key, answerer.origin), itemOf(command)),
    });
    await work.engine.recover();
    if (!context.json) await printEvents(context, work, snapshot);
    await report(context, work, snapshot.state.seq, { ok: true, reason: null, help: null });
    return EXIT.success;
  });
}

async function printEvents(
  { terminal }: CommandContext,
  work: OpenWork,
  { state }: WorkSnapshot,
): Promise<void> {
  const output = stdoutOf(terminal);
  const renderEvent = createEventLines(output.paint, state, await shortIdsIn(work));
  for (const entry of await work.history()) {
    const line = entry.seq > state.seq ? renderEvent(entry) : null;
    if (line !== null) printLines(output, [line]);
  }
}
