import { realpath } from 'node:fs/promises';
import type { OpenProject } from '../../../../app/services.ts';
import { renderJson } from '../../../../diagnostics/render-json.ts';
import type { Plan } from '../../../../kernel/plan.ts';
import type { DriveEnd } from '../../../../runtime/drive/drive.ts';
import { type StartRequest, startRun } from '../../../../runtime/drive/start-run.ts';
import { defaultsToRecord } from '../../../../runtime/record/recorded-run.ts';
import { formatJson } from '../../../../text/outside-text.ts';
import { checkWorkflow } from '../../../../workflow/check-workflow.ts';
import { findUnusedInput } from '../../../../workflow/unused-inputs.ts';
import { CliError } from '../../cli-error.ts';
import type { VerbContext } from '../../command-context.ts';
import { startDetached } from '../../driving/detach.ts';
import { commonFlags, reportDetached } from '../../driving/detached-report.ts';
import { announceDetached } from '../../driving/detached-terminal.ts';
import { reportEnd, whileDriving } from '../../driving/driving.ts';
import { ensureTrust } from '../../driving/ensure-trust.ts';
import { displayPath, findWorkflow } from '../../driving/find-workflow.ts';
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
  readonly baseline: boolean;
  readonly wait: boolean;
}

interface RunVerbOptions extends RunOptions {
  readonly detach: boolean;
}

/** The run id is the first line on stdout, or on stderr with `--json`. */
export async function run(
  context: VerbContext,
  workflow: string,
  options: RunVerbOptions,
): Promise<ExitCode> {
  const project = await openProject(context);
  const path = await findWorkflow(workflow, project.workflowFolders);
  const checked = await checkForRun(context, project, path, options.inputs);
  if (checked === null) return EXIT.usage;
  await ensureTrust(context, { workflows: [{ plan: checked.plan, path: await realpath(path) }] });
  if (options.detach) return detachRun(context, project, workflow, options, checked.remarks);
  const end = await startChecked(context, project, checked, {
    ...options,
    onGate: null,
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

/** The same run in a process of its own, which finds the same document and reports what stands in its way. */
async function detachRun(
  context: VerbContext,
  project: OpenProject,
  workflow: string,
  { baseRef, inputs, title, baseline, wait }: RunOptions,
  remarks: readonly string[],
): Promise<ExitCode> {
  const given = Object.entries(inputs).flatMap(([name, value]) => ['--input', `${name}=${value}`]);
  const flags = [
    '--base-ref',
    baseRef,
    ...given,
    // One word, so that a title that starts with a dash is not taken for a flag.
    ...(title === null ? [] : [`--title=${title}`]),
    ...(baseline ? [] : ['--no-baseline']),
    ...(wait ? ['--wait'] : []),
  ];
  const started = await startDetached(context, ['run', workflow, ...flags, ...commonFlags(context)]);
  if (!started.ok) return started.code;
  for (const remark of remarks) context.terminal.err(`${remark}\n`);
  return reportDetached(context, project, started);
}

export interface CheckedForRun {
  readonly plan: Plan;
  readonly bytes: Uint8Array;
  /** Warnings and notes, a line each: `validate` shows where and why. */
  readonly remarks: readonly string[];
}

/** Null when the document has errors, which are then printed. */
export async function checkForRun(
  context: VerbContext,
  project: OpenProject,
  path: string,
  inputs: Readonly<Record<string, string>>,
): Promise<CheckedForRun | null> {
  const bytes = await readSource(path);
  const name = displayPath(path);
  const given = Object.keys(inputs);
  const checked = checkWorkflow({ name, bytes }, { ...project.context, inputs: given });
  const { names, readTemplate } = project.context;
  const unused = findUnusedInput(checked, names?.prompts ?? null, given, readTemplate);
  if (unused !== null) throw new CliError(unused.message, unused.help);
  const { out, paint } = context.terminal;
  if (checked.plan !== null) {
    const remarks = checked.diagnostics.map(
      ({ code, span, message }) => `${paint.yellow(`warning[${code}]:`)} ${name}:${span.line} ${message}`,
    );
    const ofConfig = (project.configWarnings ?? []).map((warning) => configWarningLine(paint, warning));
    return { plan: checked.plan, bytes, remarks: [...ofConfig, ...remarks] };
  }
  if (context.json) out(`${formatJson(renderJson([{ path, ...checked }]))}\n`);
  else printRefusal(context.terminal, { name, ...checked }, project.configWarnings?.length);
  return null;
}

/** Starts the run and stays with it. */
export async function startChecked(
  context: VerbContext,
  project: OpenProject,
  checked: CheckedForRun,
  options: RunOptions & Pick<StartRequest, 'onGate' | 'onCreated'>,
): Promise<DriveEnd> {
  const { plan, bytes } = checked;
  const { defaults } = project.context;
  let runId = '';
  const started = await whileDriving(
    context,
    { planOf: () => plan, endProcesses: () => project.deps.sweep(runId) },
    ({ signal, progress }) =>
      startRun({
        deps: project.deps,
        ids: project.ids,
        plan,
        workflowText: bytes,
        baseRef: options.baseRef,
        inputs: options.inputs,
        title: options.title,
        baseline: options.baseline,
        defaults: defaultsToRecord(defaults),
        wait: options.wait,
        signal,
        observer: progress,
        onGate: options.onGate,
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
