import type { JSX } from 'preact';
import type { Spend } from '../../../src/contracts/cli/cli-report-document.ts';
import type { DaysDocument } from '../../../src/contracts/http/run-page.ts';
import type { ReportDocument } from '../api/documents.ts';
import { countOf, formatCost, formatUsd } from '../text/numbers.ts';
import { formatDuration } from '../text/time.ts';
import { OutcomePlot, Plot } from '../ui/plot.tsx';
import { Section } from '../ui/section.tsx';
import '../styles/home.css';

export function Spent({
  spent,
  days,
}: {
  readonly spent: ReportDocument['spent'];
  readonly days: DaysDocument | null;
}): JSX.Element {
  const { total } = spent;
  const recent = days?.days ?? [];
  return (
    <Section title="Spent">
      <div class="spent">
        <p class="spent-total number">
          {formatCost(total.cost_usd, total.unknown.cost_usd)}
          <span class="muted"> · {formatDuration(total.agent_ms)} agent time</span>
          {total.unknown.cost_usd === 0 ? null : (
            <span class="muted"> · {countOf(total.unknown.cost_usd, 'start')} did not report a cost</span>
          )}
        </p>
        {recent.every(({ runs }) => runs === 0) ? null : (
          <div class="plots">
            <figure>
              <Plot
                label={`Cost by day, last ${recent.length} days: ${recent.map(({ day, cost_usd }) => `${day} ${formatUsd(cost_usd)}`).join(', ')}`}
                bars={recent.map(({ day, cost_usd }) => ({
                  value: cost_usd,
                  label: `${day}: ${formatUsd(cost_usd)}`,
                }))}
              />
              <figcaption class="muted">cost, {recent.length} days</figcaption>
            </figure>
            <figure>
              <OutcomePlot
                label={`Outcomes by day: ${recent.map(describeDay).join('; ')}`}
                days={recent.map((day) => ({
                  label: describeDay(day),
                  success: day.success,
                  attention: day.unverified + day.stopped,
                  danger: day.failed,
                }))}
              />
              <figcaption class="muted">success above the line, the rest below</figcaption>
            </figure>
          </div>
        )}
        <Groups title="By agent" groups={spent.by_agent} />
        <Groups title="By workflow" groups={spent.by_workflow} />
      </div>
    </Section>
  );
}

function describeDay({ day, success, unverified, stopped, failed }: DaysDocument['days'][number]): string {
  return `${day}: ${success} success, ${unverified + stopped} unverified or stopped, ${failed} failed`;
}

function Groups({
  title,
  groups,
}: {
  readonly title: string;
  readonly groups: readonly { readonly name: string; readonly runs: number; readonly spend: Spend }[];
}): JSX.Element | null {
  if (groups.length === 0) return null;
  return (
    <table class="table">
      <caption>{title}</caption>
      <thead class="sr-only">
        <tr>
          <th scope="col">Name</th>
          <th scope="col">Runs</th>
          <th scope="col">Agent time</th>
          <th scope="col">Cost</th>
        </tr>
      </thead>
      <tbody>
        {groups.map(({ name, runs, spend }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>{countOf(runs, 'run')}</td>
            <td>{formatDuration(spend.agent_ms)}</td>
            <td>{formatCost(spend.cost_usd, spend.unknown.cost_usd)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
