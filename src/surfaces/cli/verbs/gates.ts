import { readAnswer } from '../../../runtime/gates.ts';
import { type AwaitingView, viewRun } from '../../../runtime/run-view.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { openRecords } from '../open.ts';
import { printable, shortId } from '../terminal.ts';
import { printJson, type VerbContext } from '../verb.ts';

interface OpenGate {
  readonly runId: string;
  readonly workflowId: string;
  readonly awaiting: AwaitingView;
  /** Given, but nobody has driven the run since. */
  readonly answer: string | null;
}

export async function gates(context: VerbContext): Promise<ExitCode> {
  const open = await findGates(context);
  if (context.json) {
    printJson(context, {
      gates: open.map(({ runId, workflowId, awaiting, answer }) => ({
        run_id: runId,
        workflow_id: workflowId,
        step_id: awaiting.stepId,
        gate: awaiting.gate,
        reason: awaiting.reason,
        approvers: awaiting.approvers,
        requested_at: awaiting.requestedAt,
        expires_at: awaiting.expiresAt,
        answer,
      })),
    });
    return EXIT.success;
  }
  const { out, err, paintOut } = context.terminal;
  if (open.length === 0) err('nothing waits for a person\n');
  for (const { runId, workflowId, awaiting, answer } of open) {
    const id = shortId(runId);
    out(
      `${paintOut.yellow('?')} ${paintOut.bold(`${workflowId} / ${awaiting.stepId}`)}  ${awaiting.gate}  ${id}\n`,
    );
    out(`    ${printable(awaiting.reason)}\n`);
    out(
      `    since ${awaiting.requestedAt}${awaiting.expiresAt === null ? '' : `, until ${awaiting.expiresAt}`}\n`,
    );
    if (awaiting.approvers.length > 0) out(`    approvers: ${awaiting.approvers.join(', ')}\n`);
    out(
      answer === null
        ? `    conductor show ${id} · conductor approve ${id} --resume · conductor reject ${id} --resume\n`
        : `    answered: ${answer}; go on with conductor resume ${id}\n`,
    );
  }
  return EXIT.success;
}

async function findGates(context: VerbContext): Promise<OpenGate[]> {
  const { store } = await openRecords(context);
  const open: OpenGate[] = [];
  for (const { runId, status } of await store.list()) {
    // The log is the truth: a crash may have left a status from before the gate was opened.
    if (status !== null && status.outcome !== null) continue;
    const read = await store.read(runId);
    const view = read.ok ? viewRun(read.run.events) : null;
    if (!read.ok || view === null || view.awaiting === null) continue;
    const given = await readAnswer(read.run.directory, view.awaiting);
    open.push({
      runId,
      workflowId: view.started.workflow_id,
      awaiting: view.awaiting,
      answer: given?.answer ?? null,
    });
  }
  return open;
}
