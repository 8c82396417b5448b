import type { Opened, OpenProject, Records, UpkeepSetup } from '../../app/opened.ts';
import type { OpenPolicy } from '../../app/policy/open-policy.ts';
import { type OpenRun, openRun as openRecordedRun } from '../../app/runs/open-run.ts';
import { explainRecordProblem } from '../../app/runs/record-problem.ts';
import { resolveRunId } from '../../app/runs/resolve-run.ts';
import type { OpenScope, Services } from '../../app/services.ts';
import type { OpenTrust, TrustRequest } from '../../app/trust.ts';
import type { OpenWork, WorkOptions } from '../../app/work/opened-work.ts';
import type { EngineKind } from '../../contracts/vocabulary.ts';
import type { Planner } from '../../ports/planner.ts';
import type { RecordProblem } from '../../ports/run-store.ts';
import { CliError } from './cli-error.ts';
import type { CommandContext } from './command-context.ts';
import { EXIT } from './exit-codes.ts';
import { printRefusal } from './output/refused-document.ts';

/** Asks a service to open something. If it refuses, prints the broken document and throws the obstacle. */
export async function openWith<T>(
  { services, startDir, terminal }: CommandContext,
  open: (services: Services, startDir: string) => Promise<Opened<T>>,
): Promise<T> {
  const opened = await open(await services(), startDir);
  if (opened.ok) return opened.value;
  const { document, obstacle } = opened;
  if (document !== null) printRefusal(terminal, document);
  throw new CliError(obstacle.message, obstacle.help);
}

export function openRecords(context: CommandContext): Promise<Records> {
  return openWith(context, (services, startDir) => services.openRecords(startDir));
}

export function openUpkeep(context: CommandContext): Promise<UpkeepSetup> {
  return openWith(context, (services, startDir) => services.openUpkeep(startDir));
}

export function openProject(context: CommandContext, engine?: EngineKind): Promise<OpenProject> {
  return openWith(context, (services, startDir) => services.openProject(startDir, engine));
}

export function openTrust(context: CommandContext, wanted: TrustRequest): Promise<OpenTrust> {
  return openWith(context, (services, startDir) => services.openTrust(startDir, wanted));
}

export function openPolicy(context: CommandContext, wanted: readonly string[]): Promise<OpenPolicy> {
  return openWith(context, (services, startDir) => services.openPolicy(startDir, wanted));
}

/** Without a name, opens the rule planner, which needs neither a repository nor a model. */
export function openPlanner(context: CommandContext, name: string | null): Promise<Planner> {
  return openWith(context, (services, startDir) => services.openPlanner(startDir, name ?? 'rules'));
}

/** A missing repository is no error, but less can be proved without it. */
export function openScope(context: CommandContext, base: string | null): Promise<OpenScope> {
  return openWith(context, (services, startDir) => services.openScope(startDir, base));
}

export function openWork(context: CommandContext, options: WorkOptions): Promise<OpenWork> {
  return openWith(context, (services, startDir) => services.openWork(startDir, options));
}

export async function openRun(context: CommandContext, runRef: string): Promise<OpenRun> {
  return openFetched(await openRecords(context), runRef);
}

/** Opens a run with all of its files. */
export async function openFetched(records: Records, runRef: string): Promise<OpenRun> {
  const runId = await resolveRunId(records, runRef);
  await records.store.fetch(runId);
  return openRunByRef(records, runId);
}

export async function openRunByRef(records: Records, runRef: string): Promise<OpenRun> {
  const runId = await resolveRunId(records, runRef);
  const opened = await openRecordedRun(records, runId);
  if (!opened.ok) throw recordError(runId, opened.problem);
  return opened.run;
}

export function recordError(runId: string, problem: RecordProblem): CliError {
  const { message, help } = explainRecordProblem(runId, problem);
  return new CliError(message, help, problem.kind === 'missing' ? EXIT.usage : EXIT.failed);
}
