import { answerOpenGate } from '../../../app/drive/answer-gate.ts';
import type { OpenProject } from '../../../app/opened.ts';
import { shortIdsIn } from '../../../app/runs/resolve-run.ts';
import type { AskAtGate, GateReaction } from '../../../runtime/drive/await-gate.ts';
import type { AwaitingView, RunView } from '../../../runtime/record/run-view.ts';
import type { CommandContext } from '../command-context.ts';
import { recordError } from '../open.ts';
import { gateLines } from '../output/gate-lines.ts';
import { printable, printLines, stderrOf, textWidth } from '../output/terminal.ts';
import { paintedPatch } from './run-patch.ts';

type Choice = 'approve' | 'reject' | 'diff' | 'later';

export interface OpenGate {
  readonly awaiting: AwaitingView;
  readonly view: RunView;
  /** Aborts if the gate no longer needs an answer from here. */
  readonly signal: AbortSignal;
}

/** Asks at gates if the command waits at a terminal; null if it can't ask. */
export function askAtGates(
  context: CommandContext,
  project: OpenProject,
  { wait }: { readonly wait: boolean },
): AskAtGate | null {
  if (!wait || context.json || !context.terminal.interactive) return null;
  return (awaiting, view, signal) => askAtGate(context, project, { awaiting, view, signal });
}

/** Shows an open gate and asks for an answer, which counts like one of `approve` or `reject`. */
export async function askAtGate(
  context: CommandContext,
  project: OpenProject,
  gate: OpenGate,
  accepted: OpenProject['answers'] = project.answers,
): Promise<GateReaction> {
  const { awaiting, view, signal } = gate;
  const { terminal } = context;
  const read = await project.store.read(view.runId);
  if (!read.ok) throw recordError(view.runId, read.problem);
  const { directory } = read.run;
  const id = (await shortIdsIn(project))(view.runId);
  const lines = await gateLines(read.run, awaiting, project.clock.now(), textWidth(terminal, 4), id);
  terminal.err(`${lines.map((line) => `    ${line}`).join('\n')}\n`);
  for (;;) {
    const choice = await askForChoice(awaiting, signal);
    if (signal.aborted) return reportClosed(context, awaiting);
    if (choice === 'later') return 'leave';
    if (choice === 'diff') {
      await terminal.page(await paintedPatch(project, { view, directory }, awaiting.tree, terminal.paintOut));
      continue;
    }
    const by = await askForName(awaiting, await project.userName(), signal);
    const comment = choice === 'reject' && by !== null ? await askForComment(signal) : '';
    if (signal.aborted) return reportClosed(context, awaiting);
    // The user cancelled a follow-up question, and can choose again.
    if (by === null || comment === null) continue;
    const result = await answerOpenGate(project, read.run, {
      answer: choice === 'approve' ? 'gate_approved' : 'gate_rejected',
      by,
      comment: comment === '' ? null : comment,
      accepted,
    });
    if (result.ok) return 'wait';
    printLines(stderrOf(terminal), [
      `the answer was refused: ${printable(result.reason)}`,
      ...(result.help === null ? [] : [`  help: ${printable(result.help)}`]),
    ]);
    return 'ask_again';
  }
}

function reportClosed({ terminal }: CommandContext, { stepId }: AwaitingView): GateReaction {
  printLines(stderrOf(terminal), [
    `gate ${stepId} needs no answer from here any more: it was answered elsewhere, has expired or was opened again, or the run is stopping`,
  ]);
  return 'wait';
}

/** Esc and Ctrl-C leave the gate open. */
async function askForChoice({ stepId }: AwaitingView, signal: AbortSignal): Promise<Choice> {
  const { isCancel, select } = await import('@clack/prompts');
  const answer = await select<Choice>({
    message: `Gate ${stepId}: what is your answer?`,
    options: [
      { value: 'diff', label: 'Show the diff' },
      { value: 'approve', label: 'Approve' },
      { value: 'reject', label: 'Reject, with a comment' },
      { value: 'later', label: 'Decide later', hint: 'the gate stays open and this command exits' },
    ],
    output: process.stderr,
    signal,
  });
  return isCancel(answer) ? 'later' : answer;
}

/** The user's own name if it may answer, otherwise one of the approvers; null if the user cancels. */
async function askForName(
  { approvers }: AwaitingView,
  own: string,
  signal: AbortSignal,
): Promise<string | null> {
  if (approvers.length === 0 || approvers.includes(own)) return own;
  const { isCancel, select } = await import('@clack/prompts');
  const answer = await select<string>({
    message: `"${printable(own)}" is not among the approvers. Answer as`,
    options: approvers.map((value) => ({ value, label: printable(value) })),
    output: process.stderr,
    signal,
  });
  return isCancel(answer) ? null : answer;
}

/** Null if the user cancels. */
async function askForComment(signal: AbortSignal): Promise<string | null> {
  const { isCancel, text } = await import('@clack/prompts');
  const answer = await text({
    message: 'Why? The next attempt and the record get this comment.',
    output: process.stderr,
    signal,
  });
  return isCancel(answer) ? null : (answer ?? '');
}
