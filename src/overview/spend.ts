import type { Spend } from '../contracts/cli/cli-report-document.ts';
import type { AgentStart } from '../contracts/run/run-summary.ts';

type Measure = 'agent_ms' | 'input_tokens' | 'output_tokens' | 'cost_usd';

const MEASURES: readonly Measure[] = ['agent_ms', 'input_tokens', 'output_tokens', 'cost_usd'];

const NO_SPEND: Spend = {
  starts: 0,
  agent_ms: 0,
  input_tokens: 0,
  output_tokens: 0,
  cost_usd: 0,
  unknown: { agent_ms: 0, input_tokens: 0, output_tokens: 0, cost_usd: 0 },
};

export function spendOfStart({ duration_ms, usage }: AgentStart): Spend {
  const values = { agent_ms: duration_ms, ...usage };
  const known = (measure: Measure) => values[measure] ?? 0;
  const unknown = (measure: Measure) => (values[measure] === null ? 1 : 0);
  return mapMeasures(1, known, unknown);
}

/** Sums known numbers and counts unknown ones separately: an unknown cost is not zero. */
export function sumSpend(spends: readonly Spend[]): Spend {
  return spends.reduce(
    (sum, next) =>
      mapMeasures(
        sum.starts + next.starts,
        (measure) => roundSum(sum[measure] + next[measure]),
        (measure) => sum.unknown[measure] + next.unknown[measure],
      ),
    NO_SPEND,
  );
}

function mapMeasures(
  starts: number,
  known: (measure: Measure) => number,
  unknown: (measure: Measure) => number,
): Spend {
  const of = (value: (measure: Measure) => number) =>
    Object.fromEntries(MEASURES.map((measure) => [measure, value(measure)])) as Record<Measure, number>;
  return { starts, ...of(known), unknown: of(unknown) };
}

/** Rounds away floating-point drift. */
function roundSum(value: number): number {
  return Number(value.toFixed(9));
}

/** `$0.41`, `unknown`, or `$0.41 + unknown of 2 starts`; a run without agents costs nothing. */
export function formatCost(spend: Spend): string {
  return formatKnown(spend, 'cost_usd', formatDollars);
}

/** `$0.41`, `unknown`, or `≥ $0.41` if some starts don't report it: short, for tables. */
export function formatShortCost(spend: Spend): string {
  return formatShort(spend, 'cost_usd', formatDollars);
}

/** `1.5 k tokens`: of input and output. */
export function formatShortTokens(spend: Spend): string {
  const { unknown, input_tokens: input, output_tokens: output } = spend;
  if (areTokensUnknown(spend)) return 'unknown tokens';
  const isPartial = unknown.input_tokens + unknown.output_tokens > 0;
  return `${isPartial ? '≥ ' : ''}${formatTokenCount(input + output)} tokens`;
}

/** `1,200 in, 300 out`, or `≥ 1,200 in, unknown out`. */
export function formatTokenRow(spend: Spend): string {
  if (areTokensUnknown(spend)) return 'unknown';
  const input = formatShort(spend, 'input_tokens', groupThousands);
  return `${input} in, ${formatShort(spend, 'output_tokens', groupThousands)} out`;
}

function areTokensUnknown({ starts, unknown }: Spend): boolean {
  return starts > 0 && unknown.input_tokens === starts && unknown.output_tokens === starts;
}

function groupThousands(value: number): string {
  return String(value).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

export function formatShortAgentTime(spend: Spend, formatDuration: (ms: number) => string): string {
  return formatShort(spend, 'agent_ms', formatDuration);
}

/** Three digits are enough to compare: `950`, `13.3 k`, `1.2 M`. */
export function formatTokenCount(tokens: number): string {
  if (tokens < 1_000) return String(Math.round(tokens));
  if (tokens < 999_950) return `${(tokens / 1_000).toFixed(1)} k`;
  return `${(tokens / 1_000_000).toFixed(1)} M`;
}

function formatShort(spend: Spend, measure: Measure, format: (value: number) => string): string {
  const unknown = spend.unknown[measure];
  if (unknown > 0 && unknown === spend.starts) return 'unknown';
  return `${unknown > 0 ? '≥ ' : ''}${format(spend[measure])}`;
}

/** `1,200 in, 300 out`. */
export function formatTokens(spend: Spend): string {
  if (areTokensUnknown(spend)) return 'unknown';
  const input = formatKnown(spend, 'input_tokens', groupThousands);
  return `${input} in, ${formatKnown(spend, 'output_tokens', groupThousands)} out`;
}

export function formatAgentTime(spend: Spend, formatDuration: (ms: number) => string): string {
  return formatKnown(spend, 'agent_ms', formatDuration);
}

function formatKnown(spend: Spend, measure: Measure, format: (value: number) => string): string {
  const unknown = spend.unknown[measure];
  if (unknown === 0) return format(spend[measure]);
  if (unknown === spend.starts) return 'unknown';
  return `${format(spend[measure])} + unknown of ${unknown} ${unknown === 1 ? 'start' : 'starts'}`;
}

/** Two decimals, or as many as a small amount needs. */
export function formatDollars(usd: number): string {
  return usd === 0 || usd >= 0.01 ? `$${usd.toFixed(2)}` : `$${Number(usd.toPrecision(2))}`;
}
