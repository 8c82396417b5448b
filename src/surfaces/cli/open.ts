import { type OpenRun, openRun as openRecordedRun } from '../../app/runs/open-run.ts';
import type {
  AgentTrial,
  Opened,
  OpenPolicy,
  OpenProject,
  OpenScope,
  OpenTrust,
  OpenWork,
  Records,
  TrialRequest,
  TrustWanted,
  UpkeepSetup,
  WorkOptions,
} from '../../app/services.ts';
import { didYouMean } from '../../diagnostics/did-you-mean.ts';
import type { Planner } from '../../ports/planner.ts';
import type { RecordProblem } from '../../ports/run-store.ts';
import { countOf } from '../../text/count-of.ts';
import { CliError } from './cli-error.ts';
import type { VerbContext } from './command-context.ts';
import { EXIT } from './exit-codes.ts';
import { printRefusal } from './output/refused-document.ts';
import { type ShortId, shortIdsOf } from './output/short-ids.ts';

export async function openRecords(context: VerbContext): Promise<Records> {
  return unwrap(context, await (await context.services()).openRecords(context.startDir));
}

export async function openUpkeep(context: VerbContext): Promise<UpkeepSetup> {
  return unwrap(context, await (await context.services()).openUpkeep(context.startDir));
}

export async function openProject(context: VerbContext): Promise<OpenProject> {
  return unwrap(context, await (await context.services()).openProject(context.startDir));
}

export async function openTrust(context: VerbContext, wanted: TrustWanted): Promise<OpenTrust> {
  return unwrap(context, await (await context.services()).openTrust(context.startDir, wanted));
}

export async function openPolicy(context: VerbContext, wanted: readonly string[]): Promise<OpenPolicy> {
  return unwrap(context, await (await context.services()).openPolicy(context.startDir, wanted));
}

/** Without a name, opens the rule planner, which needs neither a repository nor a model. */
export async function openPlanner(context: VerbContext, name: string | null): Promise<Planner> {
  return unwrap(context, await (await context.services()).openPlanner(context.startDir, name ?? 'rules'));
}

/** A missing repository is no error, but less can be proved without it. */
export async function openScope(context: VerbContext, base: string | null): Promise<OpenScope> {
  return unwrap(context, await (await context.services()).openScope(context.startDir, base));
}

export async function openWork(context: VerbContext, options: WorkOptions): Promise<OpenWork> {
  return unwrap(context, await (await context.services()).openWork(context.startDir, options));
}

export async function tryAgent(context: VerbContext, request: TrialRequest): Promise<AgentTrial> {
  return unwrap(context, await (await context.services()).tryAgent(context.startDir, request));
}

function unwrap<T>(context: VerbContext, opened: Opened<T>): T {
  if (opened.ok) return opened.value;
  const { document, obstacle } = opened;
  if (document !== null) printRefusal(context.terminal, document);
  throw new CliError(obstacle.message, obstacle.help);
}

/** `latest` and `@` are the newest run, `@2` is the one before it. */
const BY_AGE = /^(?:latest|@([1-9]\d*)?)$/;

/** Resolves a run id, a unique prefix of one, or an age such as `latest` or `@2`. */
export async function resolveRunId(records: Records, wanted: string): Promise<string> {
  const byAge = BY_AGE.exec(wanted);
  if (byAge !== null) return resolveByAge(records, wanted, Number(byAge[1] ?? 1));
  if (!/[0-9a-f]/i.test(wanted))
    throw new CliError(`no run "${wanted}"`, 'conductor runs lists the runs of this repository');
  const matches = await records.store.match(wanted);
  const [only, second] = matches;
  if (only !== undefined && second === undefined) return only;
  if (only !== undefined) {
    const some = matches.slice(0, 4).join(', ');
    throw new CliError(`"${wanted}" matches ${matches.length} runs`, `give more of the id: ${some}`);
  }
  const near = suggestRun(wanted, await records.store.match(''));
  throw new CliError(
    `no run "${wanted}"`,
    near === null ? 'conductor runs lists the runs of this repository' : `did you mean ${near}?`,
  );
}

/** Run ids start with the creation time, so the last one is the newest. */
async function resolveByAge(records: Records, wanted: string, age: number): Promise<string> {
  const ids = [...(await records.store.match(''))].sort();
  const found = ids.at(-age);
  if (found !== undefined) return found;
  throw new CliError(
    `no run "${wanted}": there ${ids.length === 1 ? 'is' : 'are'} ${countOf(ids.length, 'run')} in this repository`,
    ids.length === 0 ? 'start one with conductor run WORKFLOW' : 'conductor runs lists them',
  );
}

/** Suggests a run for a mistyped id or prefix. Prefixes of less than 4 characters are similar to every id. */
function suggestRun(wanted: string, ids: readonly string[]): string | null {
  const short = shortIdsOf(ids);
  const whole = didYouMean(
    wanted,
    ids.flatMap((id) => [id, short(id)]),
  );
  const prefix = wanted.replaceAll('-', '');
  if (whole !== null || prefix.length < 4) return whole;
  const byPrefix = new Map(ids.map((id) => [id.replaceAll('-', '').slice(0, prefix.length), id]));
  const near = byPrefix.get(didYouMean(prefix, byPrefix.keys()) ?? '');
  return near === undefined ? null : short(near);
}

/** The short ids of the runs in a repository. */
export async function shortIdsIn({ store }: Pick<Records, 'store'>): Promise<ShortId> {
  return shortIdsOf(await store.match(''));
}

export async function openRun(context: VerbContext, wanted: string): Promise<OpenRun> {
  return openRunOf(await openRecords(context), wanted);
}

export async function openRunOf(records: Records, wanted: string): Promise<OpenRun> {
  const runId = await resolveRunId(records, wanted);
  const opened = await openRecordedRun(records, runId);
  if (!opened.ok) throw recordError(runId, opened.problem);
  return opened.run;
}

export function recordError(runId: string, problem: RecordProblem): CliError {
  switch (problem.kind) {
    case 'missing':
      return new CliError(
        `run ${runId} has no events: it never started`,
        'if it did start, restore its events.ndjson from a copy; if not, remove its folder',
      );
    case 'corrupt':
      return new CliError(
        `events.ndjson of run ${runId} is corrupt at line ${problem.line}: ${problem.message}`,
        'conductor wrote nothing to it; restore the file from a copy',
        EXIT.failed,
      );
  }
}
