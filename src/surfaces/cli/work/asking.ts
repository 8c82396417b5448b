import { refuseAnswer } from '../../../runtime/refuse-answer.ts';
import type { OpenWork } from '../../../runtime/services.ts';
import type { WorkEngine, WorkSnapshot } from '../../../runtime/work/loop.ts';
import { itemOf } from '../../../work/command.ts';
import { CliError } from '../cli-error.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { VerbContext } from '../verb.ts';
import { report } from './driving.ts';
import { createEventLines } from './event-lines.ts';
import { expectDone, type Granted, withTrustedWork } from './session.ts';

type Asked = Parameters<WorkEngine['ask']>[0];

export interface Asking {
  readonly work: OpenWork;
  readonly snapshot: WorkSnapshot;
  /** Comes back when it is done; fails with the reason and the way out when it is refused. */
  readonly ask: (command: Asked, key?: string) => Promise<Granted>;
}

/** Has a wish of a person carried out, and tells what came of it: also what became free by it. */
export async function askAsPerson(
  context: VerbContext,
  as: string | null,
  wish: (asking: Asking) => Promise<void>,
): Promise<ExitCode> {
  return withTrustedWork(context, { jobs: null }, async (work) => {
    const answerer = await work.answerer();
    const obstacle = refuseAnswer(answerer, work.answers);
    if (obstacle !== null) throw new CliError(obstacle.message, obstacle.help, EXIT.failed);
    // Before a wish is judged, what was left half done is completed and what has happened outside is known.
    await work.engine.recover();
    const snapshot = await work.engine.snapshot();
    const person = as ?? (await work.userName());
    await wish({
      work,
      snapshot,
      ask: async (command, key) =>
        expectDone(await work.engine.ask(command, person, key, answerer.origin), itemOf(command)),
    });
    await work.engine.recover();
    if (!context.json) await tell(context, work, snapshot);
    await report(context, work, snapshot.state.seq, {
      code: EXIT.success,
      ok: true,
      reason: null,
      help: null,
    });
    return EXIT.success;
  });
}

async function tell(
  { terminal: { out, paintOut } }: VerbContext,
  { history }: OpenWork,
  { state }: WorkSnapshot,
): Promise<void> {
  const lineOf = createEventLines(paintOut, state);
  for (const entry of await history()) {
    const line = entry.seq > state.seq ? lineOf(entry) : null;
    if (line !== null) out(`${line}\n`);
  }
}
