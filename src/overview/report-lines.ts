import { formatBytes } from '../contracts/byte-size.ts';
import type {
  Report,
  ReportDisk,
  ReportLine,
  ReportNews,
  ReportSectionId,
} from '../contracts/cli/cli-report-document.ts';
import { formatCount } from '../text/count-of.ts';
import { nameSome } from '../text/name-some.ts';
import { oneLine } from '../text/outside-text.ts';
import {
  formatAgentTime,
  formatCost,
  formatShortAgentTime,
  formatShortCost,
  formatTokenRow,
  formatTokens,
} from './spend.ts';

/** The texts of a report that all formats share. Texts from outside are neutralised here, and on one line each. */

export const SECTION_TITLES: Readonly<Record<ReportSectionId, string>> = {
  needs_you: 'Needs you',
  claimed_not_shown: 'Claimed, not shown',
  done: 'Done',
  failed: 'Failed',
  running: 'Running',
};
export const NEWS_TITLE = 'New since last time';
export const SPENT_TITLE = 'Spent';

/** `2 need you, 5 done, 1 failed; $1.20`: the whole report in one line. */
export function summarize({ sections, spent }: Report): string {
  const counts = sections.map(
    ({ id, runs, questions }) => `${runs.length + questions.length} ${SECTION_COUNTS[id]}`,
  );
  return `${counts.length === 0 ? 'no run was active' : counts.join(', ')}; cost ${formatCost(spent.total)}`;
}

const SECTION_COUNTS: Readonly<Record<ReportSectionId, string>> = {
  needs_you: 'need you',
  claimed_not_shown: 'claimed, not shown',
  done: 'done',
  failed: 'failed',
  running: 'running',
};

/** How a format writes times and durations. */
export interface TimeFormat {
  readonly time: (iso: string) => string;
  readonly duration: (ms: number) => string;
}

/** How many failing cases a line names. */
const MAX_NAMED = 5;

/** The title of a run, or its workflow if it has none. */
export function titleOf({ title, workflow_id: workflow }: Pick<ReportLine, 'title' | 'workflow_id'>): string {
  return oneLine(title ?? workflow);
}

/** What came of a run, one sentence per entry, the most important first. */
export function describeRun(line: ReportLine, format: TimeFormat): string[] {
  return [
    describeState(line, format),
    ...line.claims.contradicted_texts,
    ...(line.flags.length === 0 ? [] : [`flags of the last evaluation: ${line.flags.join(', ')}`]),
    ...(line.approved ? ['approved at a gate after the last evaluation'] : []),
    [...describeChange(line), ...describeChecks(line), ...describeClaims(line)].join('; '),
    ...describeKept(line),
    describeSpend(line, format),
  ]
    .map(oneLine)
    .filter((text) => text !== '');
}

function describeState(line: ReportLine, { time }: TimeFormat): string {
  const { gate, parked, outcome } = line;
  if (gate !== null) return describeGate(gate, time);
  if (parked !== null) return `parked at ${parked.step_id}, due ${time(parked.until)}: ${parked.reason}`;
  if (outcome === null)
    return line.state === 'interrupted'
      ? `interrupted${atStep(line)}: no process drives it`
      : `running${atStep(line)}`;
  if (line.cancelled_by !== null) return withCause(`cancelled by ${line.cancelled_by}`, line.reason);
  if (outcome === 'unverified')
    return 'unverified: the last change to files has no passed validation after it';
  if (outcome === 'success') return '';
  const cause = withCause(outcome, line.first_cause);
  return line.reason === line.first_cause ? cause : withCause(cause, line.reason);
}

/** Adds a cause, unless it already says the same. */
function withCause(text: string, cause: string | null): string {
  if (cause === null || text.includes(cause)) return text;
  const isSame = [' ', ':'].some((end) => cause.startsWith(`${text}${end}`));
  return isSame ? cause : `${text}: ${cause}`;
}

function describeGate(
  { step_id: step, reason, expires_at: expires, answer }: NonNullable<ReportLine['gate']>,
  time: TimeFormat['time'],
): string {
  if (answer === 'gate_timed_out') return `gate ${step} has expired; resuming the run times it out`;
  if (answer !== null) return `gate ${step} is answered; the run can continue`;
  return `waiting for approval at gate ${step}: ${reason}${expires === null ? '' : `; expires ${time(expires)}`}`;
}

function atStep({ current_step_id: step }: ReportLine): string {
  return step === null ? '' : ` at ${step}`;
}

function describeChange({ change }: ReportLine): string[] {
  if (change === null) return [];
  const { files, insertions, deletions } = change;
  return [files === 0 ? 'no file changed' : `${formatCount(files, 'file')}, +${insertions} -${deletions}`];
}

function describeChecks({ checks }: ReportLine): string[] {
  if (checks === null) return ['no check ran'];
  const { passed, total, failed, cases } = checks;
  const failing = failed.length === 0 ? '' : ` (failed: ${nameSome(failed, MAX_NAMED)})`;
  const counted = cases === null ? '' : `, ${cases.passed} of ${formatCount(cases.total, 'case')} passed`;
  return [`${passed} of ${formatCount(total, 'check')} passed${failing}${counted}`];
}

function describeClaims({ claims: { confirmed, contradicted, unverified } }: ReportLine): string[] {
  const counts = [
    [confirmed, 'confirmed'],
    [contradicted, 'contradicted'],
    [unverified, 'unverified'],
  ] as const;
  const found = counts.filter(([count]) => count > 0).map(([count, verdict]) => `${count} ${verdict}`);
  return found.length === 0 ? [] : [`claims: ${found.join(', ')}`];
}

function describeKept({
  pull_request_url: url,
  branch,
  salvage_refs: salvages,
  outcome,
}: ReportLine): string[] {
  const place = url ?? branch;
  const kept = outcome === 'success' || salvages.length === 0 ? [] : [`salvaged: ${salvages.join(', ')}`];
  return [...(place === null ? [] : [`${url === null ? 'branch' : 'pull request'} ${place}`]), ...kept];
}

function describeSpend({ spend }: Pick<ReportLine, 'spend'>, { duration }: TimeFormat): string {
  if (spend.starts === 0) return 'no agent started';
  return `cost ${formatCost(spend)}; tokens ${formatTokens(spend)}; agent time ${formatAgentTime(spend, duration)}`;
}

/** The last message of the agent as lines, with how many more there are. */
export function quoteMessage({ last_message: message }: ReportLine): string[] {
  if (message === null) return [];
  const more = message.more > 0 ? [`… ${formatCount(message.more, 'more line')}`] : [];
  return [...message.lines.map(oneLine), ...more];
}

export function describeNews(news: ReportNews): string {
  const parts = [
    `baseline of ${news.base_sha.slice(0, 9)} is ${news.outcome}, that of ${news.before_sha.slice(0, 9)} was ${news.before_outcome}`,
    ...(news.newly_failing.length === 0 ? [] : [`newly failing: ${nameSome(news.newly_failing, MAX_NAMED)}`]),
    ...(news.fixed.length === 0 ? [] : [`fixed: ${nameSome(news.fixed, MAX_NAMED)}`]),
  ];
  return oneLine(parts.join('; '));
}

/** A row per group: name, runs, cost, tokens and agent time. The last one is the total. */
export function spendRows({ spent, sections }: Report, { duration }: TimeFormat): string[][] {
  const runs = sections.reduce((sum, section) => sum + section.runs.length, 0);
  const groups = [
    ...spent.by_agent.map((group) => ({ ...group, name: `agent ${group.name}` })),
    ...spent.by_workflow.map((group) => ({ ...group, name: `workflow ${group.name}` })),
    { name: 'total', runs, spend: spent.total },
  ];
  return groups.map(({ name, runs: count, spend }) => [
    oneLine(name),
    formatCount(count, 'run'),
    formatShortCost(spend),
    formatTokenRow(spend),
    formatShortAgentTime(spend, duration),
  ]);
}

/** How much was not reported, and what `≥` means; null if all numbers were. */
export function explainSpent({ spent: { total } }: Report): string | null {
  const { starts, unknown } = total;
  const missing = (
    [
      ['cost', unknown.cost_usd],
      ['input tokens', unknown.input_tokens],
      ['output tokens', unknown.output_tokens],
      ['agent time', unknown.agent_ms],
    ] as const
  ).flatMap(([measure, count]) => (count === 0 ? [] : [`${count} without ${measure}`]));
  if (missing.length === 0) return null;
  return `≥ is at least; of ${formatCount(starts, 'start')} of agents: ${missing.join(', ')}`;
}

export function describeDisk({
  runs_bytes: runs,
  workspaces_bytes: workspaces,
  is_complete: isComplete,
}: Pick<ReportDisk, 'runs_bytes' | 'workspaces_bytes' | 'is_complete'>): string {
  const used = `${formatBytes(runs)} of records, ${formatBytes(workspaces)} of workspaces`;
  return `disk: ${isComplete ? '' : 'at least '}${used}`;
}
