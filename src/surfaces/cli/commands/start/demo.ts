import { answerOpenGate } from '../../../../app/drive/answer-gate.ts';
import type { OpenProject } from '../../../../app/opened.ts';
import { shortIdsIn } from '../../../../app/runs/resolve-run.ts';
import type { GateReaction } from '../../../../runtime/drive/await-gate.ts';
import { CliError } from '../../cli-error.ts';
import type { CommandContext } from '../../command-context.ts';
import { askAtGate, type OpenGate } from '../../driving/ask-at-gate.ts';
import { reportEnd } from '../../driving/driving.ts';
import { trustOwnFiles } from '../../driving/ensure-trust.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { openProject, openWith } from '../../open.ts';
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
    onGate: (awaiting, view, signal) => answerDemoGate(inside, project, { awaiting, view, signal }, yes),
  });
  return reportEnd(
    inside,
    project,
    end,
    nextSteps(repository.root, (await shortIdsIn(project))(end.view.runId)),
  );
}

/** Asks the user on a terminal; otherwise the demo approves the gate itself. */
async function answerDemoGate(
  context: CommandContext,
  project: OpenProject,
  gate: OpenGate,
  yes: boolean,
): Promise<GateReaction> {
  const { terminal } = context;
  // The demo's repository is its own, so the user's setting for other repositories does not apply.
  if (terminal.interactive && !yes) return askAtGate(context, project, gate, 'any');
  const { awaiting, view } = gate;
  const why = yes ? '--yes was given' : "it can't ask without a terminal";
  terminal.err(`  gate ${awaiting.stepId}: approved by the demo, because ${why}\n`);
  const read = await project.store.read(view.runId);
  if (!read.ok) throw new CliError(`the demo's run ${view.runId} can't be read`);
  const answered = await answerOpenGate(project, read.run, {
    answer: 'gate_approved',
    by: 'demo',
    comment: null,
    accepted: 'any',
  });
  if (!answered.ok) throw new CliError(answered.reason, answered.help, EXIT.failed);
  return 'leave';
}

function nextSteps(root: string, id: string): string[] {
  const hints = [
    [`conductor show ${id}`, 'what happened, step by step'],
    [`conductor diff ${id}`, 'the change, as a patch'],
    [`conductor logs ${id}`, 'what the agent and the tests said'],
    ['conductor init', 'in a repository of your own'],
    ['conductor serve --open', 'opens the page of this run in your browser'],
  ];
  const byNpm = process.env.npm_lifecycle_event === 'start';
  const alias = byNpm ? [`alias conductor="node ${process.argv[1]}"`] : [];
  return [...alias, `cd ${root}`, ...hints.map(([command, what]) => `${command?.padEnd(25)} ${what}`)];
}
