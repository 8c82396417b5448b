import { answerOpenGate } from '../../../../app/answer-gate.ts';
import type { OpenProject } from '../../../../app/opened.ts';
import type { AwaitingView, RunView } from '../../../../runtime/record/run-view.ts';
import { CliError } from '../../cli-error.ts';
import type { CommandContext } from '../../command-context.ts';
import { reportEnd } from '../../driving/driving.ts';
import { trustOwnFiles } from '../../driving/ensure-trust.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { openProject, openWith, shortIdsIn } from '../../open.ts';
import { gateLines } from '../../output/gate-lines.ts';
import { textWidth } from '../../output/terminal.ts';
import { checkForRun, startChecked } from '../run/run.ts';

/** Runs a workflow in a temporary repository, without network or keys. */
export async function demo(context: CommandContext, yes: boolean): Promise<ExitCode> {
  const { terminal } = context;
  const repository = await openWith(context, (services) => services.makeDemoRepository());
  terminal.err(
    [
      `${terminal.paint.bold('conductor demo')}  a repository with a failing test, an agent and an evaluation`,
      terminal.paint.dim(`  ${repository.root}`),
      '',
      '',
    ].join('\n'),
  );
  const inside: CommandContext = { ...context, startDir: repository.root, repo: null };
  const project = await openProject(inside);
  const checked = await checkForRun(inside, project, repository.workflowPath, {});
  if (checked === null) return EXIT.usage;
  const workflows = [{ plan: checked.plan, path: repository.workflowPath }];
  await trustOwnFiles(inside, { workflows }, () => true);
  const end = await startChecked(inside, project, checked, {
    baseRef: 'HEAD',
    inputs: {},
    title: null,
    baseline: true,
    wait: false,
    onCreated: () => {},
    onGate: (awaiting, view) => answerDemoGate(inside, project, awaiting, view, yes),
  });
  return reportEnd(
    inside,
    project,
    end,
    nextSteps(repository.root, (await shortIdsIn(project))(end.view.runId)),
  );
}

async function answerDemoGate(
  context: CommandContext,
  project: OpenProject,
  awaiting: AwaitingView,
  view: RunView,
  yes: boolean,
): Promise<void> {
  const { terminal } = context;
  const ask = terminal.interactive && !yes;
  if (!ask) {
    const why = yes ? '--yes was given' : "it can't ask without a terminal";
    terminal.err(`  gate ${awaiting.stepId}: approved by the demo, because ${why}\n`);
  }
  const read = await project.store.read(view.runId);
  if (!read.ok) throw new CliError(`the demo's run ${view.runId} can't be read`);
  if (ask)
    for (const line of await gateLines(
      read.run.directory,
      awaiting,
      project.clock.now(),
      textWidth(terminal, 4),
    ))
      terminal.err(`    ${line}\n`);
  const approved = ask ? await askUser(awaiting) : true;
  if (approved === null) return;
  const answered = await answerOpenGate(project, read.run, {
    answer: approved ? 'gate_approved' : 'gate_rejected',
    by: ask ? await project.userName() : 'demo',
    comment: null,
    // The demo's repository is its own, so the user's setting for other repositories does not apply.
    accepted: 'any',
  });
  if (!answered.ok) throw new CliError(answered.reason, answered.help, EXIT.failed);
}

/** Null if the user cancels the question: the gate stays open. */
async function askUser(awaiting: AwaitingView): Promise<boolean | null> {
  const { confirm, isCancel } = await import('@clack/prompts');
  const answer = await confirm({
    message: `Gate ${awaiting.stepId}: ${awaiting.reason}. Approve?`,
    initialValue: true,
    output: process.stderr,
  });
  return isCancel(answer) ? null : answer;
}

function nextSteps(root: string, id: string): string[] {
  const hints = [
    [`conductor show ${id}`, 'what happened, step by step'],
    [`conductor diff ${id}`, 'the change, as a patch'],
    [`conductor logs ${id}`, 'what the agent and the tests said'],
    ['conductor init', 'in a repository of your own'],
  ];
  const byNpm = process.env.npm_lifecycle_event === 'start';
  const alias = byNpm ? [`alias conductor="node ${process.argv[1]}"`] : [];
  return [...alias, `cd ${root}`, ...hints.map(([command, what]) => `${command?.padEnd(25)} ${what}`)];
}
