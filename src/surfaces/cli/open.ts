import type { Opened, OpenProject, Records, UpkeepSetup } from '../../app/opened.ts';
import type { OpenPolicy } from '../../app/policy/open-policy.ts';
import { type OpenRun, openRun as openRecordedRun } from '../../app/runs/open-run.ts';
import { explainRecordProblem } from '../../app/runs/record-problem.ts';
import type { OpenScope, Services } from '../../app/services.ts';
import type { OpenTrust, TrustWanted } from '../../app/trust.ts';
import type { OpenWork, WorkOptions } from '../../app/work/opened-work.ts';
import { didYouMean } from '../../diagnostics/did-you-mean.ts';
import { type ShortId, shortIdsOf } from '../../overview/short-ids.ts';
import type { Planner } from '../../ports/planner.ts';
import type { RecordProblem } from '../../ports/run-store.ts';
import { formatCount } from '../../text/count-of.ts';
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

export function openProject(context: CommandContext): Promise<OpenProject> {
  return openWith(context, (services, startDir) => services.openProject(startDir));
}

export function openTrust(context: CommandContext, wanted: TrustWanted): Promise<OpenTrust> {
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

/** `latest` and `@` are the newest run, `@2` is the one before it. */
const BY_AGE = /^(?:latest|@([1-9]\d*)?)$/;

/** Resolves a run id, a unique prefix of one, or an age such as `latest` or `@2`. */
export async function resolveRunId(records: Records, runRef: string): Promise<string> {
  const byAge = BY_AGE.exec(runRef);
  if (byAge !== null) return resolveByAge(records, runRef, Number(byAge[1] ?? 1));
  if (!/[0-9a-f]/i.test(runRef))
    throw new CliError(`no run "${runRef}"`, 'conductor runs lists the runs of this repository');
  const matches = await records.store.match(runRef);
  const [only, second] = matches;
  if (only !== undefined && second === undefined) return only;
  if (only !== undefined) {
    const some = matches.slice(0, 4).join(', ');
    throw new CliError(`"${runRef}" matches ${matches.length} runs`, `give more of the id: ${some}`);
  }
  const near = suggestRun(runRef, await records.store.match(''));
  throw new CliError(
    `no run "${runRef}"`,
    near === null ? 'conductor runs lists the runs of this repository' : `did you mean ${near}?`,
  );
}

/** Run ids start with the creation time, so the last one is the newest. */
async function resolveByAge(records: Records, runRef: string, age: number): Promise<string> {
  const ids = [...(await records.store.match(''))].sort();
  const found = ids.at(-age);
  if (found !== undefined) return found;
  throw new CliError(
    `no run "${runRef}": there ${ids.length === 1 ? 'is' : 'are'} ${formatCount(ids.length, 'run')} in this repository`,
    ids.length === 0 ? 'start one with conductor run WORKFLOW' : 'conductor runs lists them',
  );
}

/** Suggests a run for a mistyped id or prefix. Prefixes of less than 4 characters are similar to every id. */
function suggestRun(runRef: string, ids: readonly string[]): string | null {
  const short = shortIdsOf(ids);
  const whole = didYouMean(
    runRef,
    ids.flatMap((id) => [id, short(id)]),
  );
  const prefix = runRef.replaceAll('-', '');
  if (whole !== null || prefix.length < 4) return whole;
  const byPrefix = new Map(ids.map((id) => [id.replaceAll('-', '').slice(0, prefix.length), id]));
  const near = byPrefix.get(didYouMean(prefix, byPrefix.keys()) ?? '');
  return near === undefined ? null : short(near);
}

/** The short ids of the runs in a repository. */
export async function shortIdsIn({ store }: Pick<Records, 'store'>): Promise<ShortId> {
  return shortIdsOf(await store.match(''));
}

export async function openRun(context: CommandContext, runRef: string): Promise<OpenRun> {
  return openRunByRef(await openRecords(context), runRef);
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
