import { answerOpenGate } from '../../../../app/drive/answer-gate.ts';
import { answererText } from '../../../../contracts/run/answer-origin.ts';
import { CliError } from '../../cli-error.ts';
import { type CommandContext, printJson } from '../../command-context.ts';
import { followDriven } from '../../driving/follow.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { openFetched, openProject } from '../../open.ts';
import { withRepo } from '../../output/command-text.ts';
import { printable } from '../../output/terminal.ts';
import { ensureRunTrusted, resumeById } from './resume.ts';

export interface AnswerOptions {
  readonly comment: string | null;
  readonly as: string | null;
  readonly resume: boolean;
}

export async function answerGate(
  context: CommandContext,
  answer: 'gate_approved' | 'gate_rejected',
  runRef: string,
  options: AnswerOptions,
): Promise<ExitCode> {
  const project = await openProject(context);
  const { record, view } = await openFetched(project, runRef);
  const isShared = project.store.kind === 'shared';
  if (options.resume && !isShared) await ensureRunTrusted(context, project, view.runId);
  const by = options.as ?? (await project.userName());
  if (!/^[^\n\r]*\S[^\n\r]*$/.test(by))
    throw new CliError('the name of the approver is empty or has several lines', 'pass --as NAME');
  const result = await answerOpenGate(project, record, { answer, by, comment: options.comment });
  if (!result.ok) throw new CliError(result.reason, result.help, EXIT.failed);
  const { origin } = result;
  const done = answer === 'gate_approved' ? 'approved' : 'rejected';
  context.terminal.err(
    `${done} gate ${result.stepId} of run ${view.runId} as ${printable(answererText(by, origin))}\n`,
  );
  if (options.resume && isShared)
    return followDriven(context, project, view.runId, { wait: false, plan: null });
  if (options.resume && record.driver === null)
    return resumeById(context, project, view.runId, { wait: false });
  if (context.json)
    printJson(context, {
      run_id: view.runId,
      step_id: result.stepId,
      answer,
      by,
      from: origin,
      comment: options.comment,
    });
  else if (record.driver === null && !isShared)
    context.terminal.err(withRepo(`continue with: conductor resume ${view.runId}\n`, context.repo));
  return EXIT.success;
}
