import { isExpectedFailure } from '../../../../contracts/expected-failure.ts';
import type { RunRecord, RunStore } from '../../../../ports/run-store.ts';
import { gateRequestPath } from '../../../../runtime/gates/gate-request.ts';
import { hasExpired, readAnswer } from '../../../../runtime/gates/open-gates.ts';
import { type AwaitingView, viewRun } from '../../../../runtime/record/run-view.ts';
import { wrapLine } from '../../../../text/wrap-line.ts';
import { printJson, type VerbContext } from '../../command-context.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { openRecords, recordError } from '../../open.ts';
import { withRepo } from '../../output/command-text.ts';
import { gateLines } from '../../output/gate-lines.ts';
import { type ShortId, shortIdsOf } from '../../output/short-ids.ts';
import { printable, shortId, textWidth } from '../../output/terminal.ts';

/** What stands before each line about a gate. */
const INDENT = 4;

interface OpenGate {
  readonly runId: string;
  readonly title: string | null;
  readonly workflowId: string;
  readonly awaiting: AwaitingView;
  /** Given, but nobody has driven the run since. */
  readonly answer: string | null;
  readonly expired: boolean;
  readonly lines: readonly string[];
  /** Absolute path of the whole request. */
  readonly request: string;
}

export async function gates(context: VerbContext): Promise<ExitCode> {
  const { open, short } = await findGates(context);
  if (context.json) {
    printJson(context, {
      gates: open.map(({ runId, title, workflowId, awaiting, answer, expired, request }) => ({
        run_id: runId,
        title,
        workflow_id: workflowId,
        step_id: awaiting.stepId,
        gate: awaiting.gate,
        reason: awaiting.reason,
        approvers: awaiting.approvers,
        requested_at: awaiting.requestedAt,
        expires_at: awaiting.expiresAt,
        expired,
        answer,
        request,
      })),
    });
    return EXIT.success;
  }
  const { out, err, paintOut } = context.terminal;
  const width = textWidth(context.terminal, 0);
  if (open.length === 0) err('nothing waits for a person\n');
  for (const { runId, title, workflowId, awaiting, answer, expired, lines } of open) {
    const id = short(runId);
    const head = `${paintOut.yellow('?')} ${paintOut.bold(`${workflowId} / ${awaiting.stepId}`)}  ${awaiting.gate}  ${id}`;
    const next = nextTexts(id, answer, expired).map((text) => withRepo(text, context.repo));
    const inOne = `    ${next.join(' · ')}`;
    const text = [
      head,
      ...(title === null ? [] : [`    ${printable(title)}`]),
      ...lines.map((line) => `    ${line}`),
      ...(inOne.length <= width ? [inOne] : next.map((each) => `    ${each}`)),
    ];
    for (const line of text.flatMap((each) => wrapLine(each, width))) out(`${line}\n`);
  }
  return EXIT.success;
}

/** What to do about a gate; on one line if there is room. */
function nextTexts(id: string, answer: string | null, expired: boolean): string[] {
  if (answer !== null) return [`answered: ${answer}; continue with conductor resume ${id}`];
  if (expired) return [`conductor resume ${id} takes the route for that`];
  return [`conductor show ${id}`, `conductor approve ${id} --resume`, `conductor reject ${id} --resume`];
}

async function findGates(
  context: VerbContext,
): Promise<{ readonly open: readonly OpenGate[]; readonly short: ShortId }> {
  const { store, clock } = await openRecords(context);
  const open: OpenGate[] = [];
  const listed = await store.list();
  const short = shortIdsOf(listed.map(({ runId }) => runId));
  for (const { runId, status } of listed) {
    // The log is the truth: a crash may have left a status from before the gate was opened.
    if (status !== null && status.outcome !== null) continue;
    const read = await readOrTell(context, store, runId);
    const view = read === null ? null : viewRun(read.events);
    if (read === null || view === null || view.awaiting === null) continue;
    const { awaiting } = view;
    const { directory } = read;
    const given = await readAnswer(directory, awaiting);
    const now = clock.now();
    open.push({
      runId,
      title: view.title,
      workflowId: view.started.workflow_id,
      awaiting,
      answer: given?.answer ?? null,
      expired: given === null && hasExpired(awaiting, now),
      lines: context.json
        ? []
        : await gateLines(directory, awaiting, now, textWidth(context.terminal, INDENT)),
      request: directory.resolve(gateRequestPath(awaiting)),
    });
  }
  return { open, short };
}

/** One record that can't be read must not hide the gates of the others, nor its own in silence. */
async function readOrTell(context: VerbContext, store: RunStore, runId: string): Promise<RunRecord | null> {
  const tell = (message: string) => {
    context.terminal.err(`run ${shortId(runId)} was passed over: ${message}\n`);
    return null;
  };
  try {
    const read = await store.read(runId);
    if (read.ok) return read.run;
    // A folder without a log is of a run that never started, and has no gates.
    return read.problem.kind === 'missing' ? null : tell(recordError(runId, read.problem).message);
  } catch (error) {
    if (!isExpectedFailure(error)) throw error;
    return tell(error.message);
  }
}
