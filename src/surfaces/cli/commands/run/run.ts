import {
  checkRunnable,
  type RunnableWorkflow,
  type RunRequest,
  startCheckedRun,
} from '../../../../app/drive/check-runnable.ts';
import { type SubmitRequest, submitRun } from '../../../../app/engine/submit-run.ts';
import type { OpenProject } from '../../../../app/opened.ts';
import { explainForge } from '../../../../app/runs/publish-run.ts';
import { ownValue } from '../../../../contracts/own-value.ts';
import type { EngineKind } from '../../../../contracts/vocabulary.ts';
import { renderJson } from '../../../../diagnostics/render-json.ts';
import type { DriveEnd } from '../../../../runtime/drive/drive.ts';
import { readIssue } from '../../../../runtime/forge/read-issue.ts';
import { createUnabortedSignal } from '../../../../runtime/never-aborted.ts';
import { formatJson } from '../../../../text/outside-text.ts';
import { CliError } from '../../cli-error.ts';
import { type CommandContext, printJson } from '../../command-context.ts';
import { askAtGates } from '../../driving/ask-at-gate.ts';
import { startDetached } from '../../driving/detach.ts';
import { commonFlags, reportDetached } from '../../driving/detached-report.ts';
import { announceDetached } from '../../driving/detached-terminal.ts';
import { reportEnd, whileDriving } from '../../driving/driving.ts';
import { ensureTrust } from '../../driving/ensure-trust.ts';
import { displayPath, findWorkflow } from '../../driving/find-workflow.ts';
import { followDriven } from '../../driving/follow.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { openProject } from '../../open.ts';
import { configWarningLine } from '../../output/config-warnings.ts';
import { clearLiveLine } from '../../output/progress.ts';
import { printRefusal } from '../../output/refused-document.ts';
import { readSource } from '../workflow/validate.ts';

export interface RunOptions {
  readonly baseRef: string;
  readonly inputs: Readonly<Record<string, string>>;
  readonly title: string | null;
  /** The issue with the task; null if the task is an input. */
  readonly issue: IssueOptions | null;
  readonly baseline: boolean;
  readonly wait: boolean;
}

export interface IssueOptions {
  readonly number: number;
  /** Accepts it although no person with write access wrote or labelled it. */
  readonly isTrusted: boolean;
}

interface RunVerbOptions extends RunOptions {
  /** Null for the engine of the configuration. */
  readonly engine: EngineKind | null;
  readonly detach: boolean;
}

/** The run id is the first line on stdout, or on stderr with `--json`. */
export async function run(
  context: CommandContext,
  workflow: string,
  options: RunVerbOptions,
): Promise<ExitCode> {
  const project = await openProject(context, options.engine ?? undefined);
  const path = await findWorkflow(workflow, project.workflowFolders);
  // A detached process reads the issue again, and records what it has read.
  const { issue: wanted, ...taskless } = options;
  const asked = wanted === null ? null : await readTask(project, wanted, options);
  const checked = await checkForRun(context, project, path, { ...options.inputs, ...asked?.inputs });
  if (checked === null) return EXIT.usage;
  await ensureTrust(context, { workflows: [{ plan: checked.plan, path }] });
  if (project.store.kind === 'shared')
    return submitAndFollow(context, project, checked, { ...taskless, ...asked });
  if (options.detach) return detachRun(context, project, workflow, options, checked.remarks);
  const end = await startChecked(context, project, checked, {
    ...taskless,
    ...asked,
    onGate: askAtGates(context, project, options),
    onCreated: (runId) => {
      const { terminal } = context;
      if (context.leaveTerminal === null) {
        clearLiveLine(terminal);
        (context.json ? terminal.err : terminal.out)(`${runId}\n`);
      } else announceDetached(context, runId, project.store.locate(runId, checked.plan.artifactsDir));
    },
  });
  return reportEnd(context, project, end);
}

/** Hands the run to a worker of the shared engine. With `--detach`, returns at once. */
async function submitAndFollow(
  context: CommandContext,
  project: OpenProject,
  checked: CheckedForRun,
  options: SubmitRequest & Pick<RunVerbOptions, 'detach' | 'wait'>,
): Promise<ExitCode> {
  const { terminal, json } = context;
  const submitted = await submitRun(project, checked, options);
  if (!submitted.ok) throw new CliError(submitted.obstacle.message, submitted.obstacle.help);
  const { runId } = submitted;
  (json ? terminal.err : terminal.out)(`${runId}\n`);
  for (const remark of checked.remarks) terminal.err(`${remark}\n`);
  if (!options.detach)
    return followDriven(context, project, runId, { wait: options.wait, plan: checked.plan });
  if (json) printJson(context, { run_id: runId, submitted: true });
  else terminal.err('submitted; conductor engine status shows what it waits for\n');
  return EXIT.success;
}

/** Starts the same run in a separate process, which checks the workflow again and reports its own obstacles. */
async function detachRun(
  context: CommandContext,
  project: OpenProject,
  workflow: string,
  { baseRef, inputs, title, issue, baseline, wait }: RunOptions,
  remarks: readonly string[],
): Promise<ExitCode> {
  const given = Object.entries(inputs).flatMap(([name, value]) => ['--input', `${name}=${value}`]);
  const flags = [
    '--base-ref',
    baseRef,
    ...given,
    // One argument, so that a title that starts with a dash is not parsed as a flag.
    ...(title === null ? [] : [`--title=${title}`]),
    ...(issue === null ? [] : ['--issue', String(issue.number)]),
    ...(issue?.isTrusted === true ? ['--trust-issue'] : []),
    ...(baseline ? [] : ['--no-baseline']),
    ...(wait ? ['--wait'] : []),
  ];
  const started = await startDetached(context, ['run', workflow, ...flags, ...commonFlags(context)]);
  if (!started.ok) return started.code;
  for (const remark of remarks) context.terminal.err(`${remark}\n`);
  return reportDetached(context, project, started);
}

/** The options that come from the issue instead of the command line. */
async function readTask(
  { deps }: OpenProject,
  { number, isTrusted }: IssueOptions,
  { inputs, title }: RunOptions,
) {
  if (ownValue(inputs, 'task') !== undefined)
    throw new CliError('--issue and --input task both give the task', 'give one of them');
  const { forge: project } = deps.project;
  if (project === undefined) throw new Error('the project was opened without a forge');
  const read = async () => {
    const forge = await project.open({ isForPerson: true, signal: createUnabortedSignal() });
    return readIssue(forge, number, isTrusted);
  };
  const found = await read().catch(explainForge);
  if (!found.ok)
    throw new CliError(
      `issue #${number} is not accepted as a task: ${found.reason}`,
      'read it; then let a person with write access label it, or pass --trust-issue',
      EXIT.failed,
    );
  return { issue: found.issue, title: title ?? found.title, inputs: { ...inputs, task: found.task } };
}

export interface CheckedForRun extends RunnableWorkflow {
  /** Warnings of the configuration and the workflow, one line each: `validate` shows them in full. */
  readonly remarks: readonly string[];
}

/** Null if the workflow has errors, which are then printed. */
export async function checkForRun(
  { terminal, json }: CommandContext,
  project: OpenProject,
  path: string,
  inputs: Readonly<Record<string, string>>,
): Promise<CheckedForRun | null> {
  const name = displayPath(path);
  const prepared = checkRunnable(project, { name, path, bytes: await readSource(path) }, inputs);
  const configWarnings = project.configWarnings ?? [];
  if (prepared.ok) {
    const { paint } = terminal;
    const remarks = prepared.warnings.map(
      ({ code, span, message }) => `${paint.yellow(`warning[${code}]:`)} ${name}:${span.line} ${message}`,
    );
    const ofConfig = configWarnings.map((warning) => configWarningLine(paint, warning));
    return { ...prepared, remarks: [...ofConfig, ...remarks] };
  }
  const { unused, checked } = prepared;
  if (unused !== null) throw new CliError(unused.message, unused.help);
  if (json) terminal.out(`${formatJson(renderJson([{ path, ...checked }]))}\n`);
  else printRefusal(terminal, { name, ...checked }, configWarnings.length);
  return null;
}

/** Starts the run and drives it with live progress. */
export async function startChecked(
  context: CommandContext,
  project: OpenProject,
  checked: CheckedForRun,
  options: Omit<RunOptions, 'issue'> & Pick<RunRequest, 'onGate' | 'onCreated' | 'issue'>,
): Promise<DriveEnd> {
  let runId = '';
  const started = await whileDriving(
    context,
    { planOf: () => checked.plan, endProcesses: () => project.deps.sweep(runId) },
    ({ signal, progress }) =>
      startCheckedRun(project, checked, {
        ...options,
        signal,
        observer: progress,
        onCreated: async (id) => {
          runId = id;
          await options.onCreated(id);
          for (const remark of checked.remarks) context.terminal.err(`${remark}\n`);
        },
      }),
  );
  if (started.ok) return started.end;
  const last = started.obstacles.at(-1);
  for (const { message, help } of started.obstacles.slice(0, -1))
    context.terminal.err(`conductor: ${message}\n${help === null ? '' : `  help: ${help}\n`}`);
  throw new CliError(last?.message ?? 'the run could not start', last?.help ?? null);
}
