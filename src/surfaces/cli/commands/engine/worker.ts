import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { type ClaimEnd, driveClaim } from '../../../../app/engine/drive-claim.ts';
import { type EngineSide, formatLabel, listLabels, refuseLabel } from '../../../../app/engine/labels.ts';
import { work } from '../../../../app/engine/worker.ts';
import type { OpenProject } from '../../../../app/opened.ts';
import { findUntrustedParts, listParts, TRUST_CONFIGURATION } from '../../../../app/trust.ts';
import type { Plan } from '../../../../kernel/plan.ts';
import { CliError } from '../../cli-error.ts';
import { type CommandContext, printJson } from '../../command-context.ts';
import { whileInterruptible } from '../../driving/driving.ts';
import { ensureTrust } from '../../driving/ensure-trust.ts';
import { findWorkflow } from '../../driving/find-workflow.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { openProject, openTrust } from '../../open.ts';
import { printable, printLines, stderrOf } from '../../output/terminal.ts';

export interface WorkerOptions {
  readonly labels: readonly string[];
  readonly slots: number;
  /** Null for the name of the machine and the process id. */
  readonly name: string | null;
  readonly once: boolean;
}

/** Drives runs from the engine's queue until the process is stopped. */
export async function worker(context: CommandContext, options: WorkerOptions): Promise<ExitCode> {
  const project = await openProject(context);
  await ensureTrust(context, { allWorkflows: true });
  const side = await project.engineSide();
  const labels = await chooseLabels(project, side, options.labels);
  const name = options.name ?? `${hostname().split('.')[0] ?? ''}-${process.pid}`;
  const say = (line: string) => printLines(stderrOf(context.terminal), [printable(line)]);
  say(
    `worker ${name}: ${options.slots} ${options.slots === 1 ? 'slot' : 'slots'}, ${labels.map(formatLabel).join(' ')}`,
  );
  const driven: { readonly run_id: string; readonly end: string }[] = [];
  const active = new Set<string>();
  const drained = await whileInterruptible(
    context,
    {
      message: 'draining: runs are interrupted and given back (press again to exit at once)',
      endProcesses: () => Promise.all([...active].map((runId) => project.deps.sweep(runId))),
    },
    async (signal) => {
      await work({
        engine: project.store,
        clock: project.clock,
        ...options,
        name,
        labels,
        signal,
        drive: (claim, turn) =>
          driveClaim(project, {
            claim,
            ...turn,
            observer: { onEvents: () => {}, onLine: () => {} },
            refusePlan: (plan, text) => refusePlan(context, project, plan, text),
          }),
        onTaken: (runId, isNew) => {
          active.add(runId);
          say(`${isNew ? 'starting' : 'continuing'} run ${runId}`);
        },
        onEnd: (runId, end) => {
          active.delete(runId);
          driven.push({ run_id: runId, end: end.kind === 'failed' ? 'failed' : end.end.kind });
          say(`run ${runId}: ${describeEnd(end)}`);
        },
        onTrouble: (message) => say(`conductor: ${message}`),
      });
      return signal.aborted;
    },
  );
  if (context.json) printJson(context, { worker: name, labels: [...labels], driven });
  return drained ? EXIT.interrupted : EXIT.success;
}

async function chooseLabels(
  project: OpenProject,
  side: EngineSide,
  given: readonly string[],
): Promise<readonly string[]> {
  const refusal = given.map((label) => refuseLabel(label, side.agents)).find((each) => each !== null);
  if (refusal !== undefined && refusal !== null) throw new CliError(refusal.message, refusal.help);
  const named = given.flatMap((label) => (label.startsWith('agent=') ? [label.slice('agent='.length)] : []));
  const missing = new Map<string, string>();
  for (const name of named.length === 0 ? side.agents : named) {
    const why = await explainUnavailable(project, name);
    if (why !== null) missing.set(name, why);
  }
  const [absent] = named.filter((name) => missing.has(name));
  if (absent !== undefined)
    throw new CliError(
      `agent "${absent}" can't be started here: ${missing.get(absent)}`,
      `install its program, or omit --label agent=${absent}; conductor doctor shows each agent`,
    );
  return listLabels(
    side,
    given,
    side.agents.filter((name) => !missing.has(name)),
  );
}

/** A program of the repository is looked up in the commit that is checked out; a run checks its own base again. */
async function explainUnavailable({ deps }: OpenProject, name: string): Promise<string | null> {
  const agent = deps.project.agent(name);
  if (agent === null) return 'it is not configured';
  const isInBase = (path: string) => deps.workspace.hasFile('HEAD', path).catch(() => true);
  return agent.explainUnavailable(isInBase, '');
}

/**
 * A submitted workflow may come from anyone who can write to the queue, so this machine's user must trust it like one
 * of the repository, unless it is the user's own or a built-in one.
 */
async function refusePlan(
  context: CommandContext,
  project: OpenProject,
  plan: Plan,
  text: string,
): Promise<string | null> {
  if (await isOwnWorkflow(project, plan.workflowId, text)) return null;
  const trust = await openTrust(context, {
    ...TRUST_CONFIGURATION,
    workflows: [{ plan, path: project.repoRoot }],
  });
  const missing = findUntrustedParts(trust);
  return missing.length === 0
    ? null
    : `${trust.repository} is not trusted with ${listParts(missing)}; run conductor trust there`;
}

async function isOwnWorkflow(
  { workflowFolders }: OpenProject,
  workflowId: string,
  text: string,
): Promise<boolean> {
  const [, ...own] = workflowFolders;
  const path = await findWorkflow(workflowId, own).catch(() => null);
  return path !== null && (await readFile(path, 'utf8').catch(() => null)) === text;
}

function describeEnd(end: ClaimEnd): string {
  if (end.kind === 'failed') return `not driven: ${end.message}; due again at ${end.retryAt}`;
  switch (end.end.kind) {
    case 'ended':
      return `ended: ${end.end.end.outcome}`;
    case 'waiting':
      return `waiting for approval at gate ${end.end.awaiting.stepId}`;
    case 'parked':
      return `parked until ${end.end.parked.until}`;
    case 'interrupted':
      return 'interrupted and given back';
  }
}
