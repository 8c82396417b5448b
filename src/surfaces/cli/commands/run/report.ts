import { defaultSince, type ReportedRepository, reportRuns } from '../../../../app/report.ts';
import { resolveRunId } from '../../../../app/runs/resolve-run.ts';
import { parseSince } from '../../../../app/since.ts';
import type { ReportScope } from '../../../../overview/compose-report.ts';
import { renderHtml } from '../../../../overview/render-html.ts';
import { renderMarkdown } from '../../../../overview/render-markdown.ts';
import type { TimeFormat } from '../../../../overview/report-lines.ts';
import { CliError } from '../../cli-error.ts';
import { type CommandContext, printJson } from '../../command-context.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { openWith } from '../../open.ts';
import { renderReport } from '../../output/report-text.ts';
import { formatDuration, printable, printLines, stderrOf, stdoutOf } from '../../output/terminal.ts';

export interface ReportOptions {
  readonly since: string | null;
  /** Null for text, or JSON with `--json`. */
  readonly format: string | null;
  readonly allRepos: boolean;
}

/** The subject of a report on all repositories, for the time of the last one. */
const ALL = '*';

export async function report(
  context: CommandContext,
  runRefs: readonly string[],
  options: ReportOptions,
): Promise<ExitCode> {
  const format = chooseFormat(context, options.format);
  if (runRefs.length > 0 && (options.since !== null || options.allRepos))
    throw new CliError(
      'runs were named together with --since or --all-repos',
      'name runs, or give a time, but not both',
    );
  const memory = await (await context.services()).reportMemory();
  const repositories = options.allRepos
    ? await openAll(context, await memory.repositories())
    : [await openHere(context)];
  const [first] = repositories;
  if (first === undefined && format === 'text') {
    printLines(stderrOf(context.terminal), [
      'no runs yet in any repository; start one with conductor run WORKFLOW',
    ]);
    return EXIT.success;
  }
  const subject = options.allRepos ? ALL : (first?.records.repoRoot ?? ALL);
  const now = first?.records.clock.now() ?? new Date();
  const scope = await chooseScope(
    { first, runRefs, since: options.since, lastPrinted: () => memory.lastPrinted(subject) },
    now,
  );
  const composed = await reportRuns(repositories, scope, now);
  const { terminal } = context;
  switch (format) {
    case 'json':
      printJson(context, composed);
      break;
    case 'html':
      terminal.out(renderHtml(composed, ABSOLUTE_TIMES));
      break;
    case 'markdown':
      terminal.out(renderMarkdown(composed, ABSOLUTE_TIMES));
      break;
    default:
      terminal.out(renderReport(stdoutOf(terminal), composed));
  }
  if (terminal.isOut && scope.kind === 'since') await memory.setPrinted(subject, now.toISOString());
  return EXIT.success;
}

/** Prints the report of everything since a time, as text. */
export async function printReportSince(context: CommandContext, since: Date): Promise<void> {
  const { terminal } = context;
  const repository = await openHere(context);
  const scope: ReportScope = { kind: 'since', since: since.toISOString() };
  const composed = await reportRuns([repository], scope, repository.records.clock.now());
  terminal.out(renderReport(stdoutOf(terminal), composed));
}

function chooseFormat({ json }: CommandContext, format: string | null): string {
  if (!json) return format ?? 'text';
  if (format === null || format === 'json') return 'json';
  throw new CliError(`--json and --format ${format} contradict each other`, 'give one of them');
}

const ABSOLUTE_TIMES: TimeFormat = {
  time: (iso) => iso.replace('T', ' ').replace(/:\d\d(?:\.\d+)?Z$/, ' UTC'),
  duration: formatDuration,
};

async function chooseScope(
  {
    first,
    runRefs,
    since,
    lastPrinted,
  }: {
    readonly first: ReportedRepository | undefined;
    readonly runRefs: readonly string[];
    readonly since: string | null;
    readonly lastPrinted: () => Promise<string | null>;
  },
  now: Date,
): Promise<ReportScope> {
  if (runRefs.length > 0 && first !== undefined) {
    const runIds = new Set<string>();
    for (const runRef of runRefs) runIds.add(await resolveRunId(first.records, runRef));
    return { kind: 'runs', runIds };
  }
  const from = since === null ? defaultSince(await lastPrinted(), now) : parseSince(since, now);
  if (from === null)
    throw new CliError(
      `--since "${printable(since ?? '')}" is no time`,
      'write a duration such as 12h or 3d, yesterday, or a date such as 2026-11-17',
    );
  return { kind: 'since', since: from.toISOString() };
}

async function openHere(context: CommandContext): Promise<ReportedRepository> {
  const opened = await openWith(context, (services, startDir) => services.openReport(startDir));
  return { ...opened, repoOption: context.repo };
}

/** Opens every repository; one that was moved or removed since is named and skipped. */
async function openAll(context: CommandContext, roots: readonly string[]): Promise<ReportedRepository[]> {
  const services = await context.services();
  const repositories: ReportedRepository[] = [];
  for (const root of roots) {
    const opened = await services.openReport(root);
    if (opened.ok) repositories.push({ ...opened.value, repoOption: root });
    else
      printLines(stderrOf(context.terminal), [
        printable(`${root} is not in this report: ${opened.obstacle.message}`),
      ]);
  }
  return repositories;
}
