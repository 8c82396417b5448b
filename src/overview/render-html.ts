import type { Report, ReportLine, ReportQuestion } from '../contracts/cli/cli-report-document.ts';
import { oneLine } from '../text/outside-text.ts';
import { html, type Markup, renderPage } from './html.ts';
import {
  describeDisk,
  describeNews,
  describeRun,
  explainSpent,
  NEWS_TITLE,
  quoteMessage,
  SECTION_TITLES,
  SPENT_TITLE,
  spendRows,
  summarize,
  type TimeFormat,
  titleOf,
} from './report-lines.ts';

const STYLE = `
article { background: var(--card); border: 1px solid var(--line); border-left: .25rem solid var(--mark, var(--line));
  border-radius: .375rem; padding: .75rem 1rem; margin: .5rem 0; }
.needs_you, .claimed_not_shown { --mark: var(--attention); }
.done { --mark: var(--good); } .failed { --mark: var(--bad); } .running { --mark: var(--accent); }
summary { cursor: pointer; }
blockquote { margin: .5rem 0; padding-left: .75rem; border-left: 2px solid var(--line); color: var(--dim);
  white-space: pre-wrap; font-size: .875rem; }
.commands { list-style: none; padding: 0; }
.commands code { display: block; background: var(--bg); border: 1px solid var(--line); border-radius: .25rem;
  padding: .25rem .5rem; margin: .25rem 0; }
`;

/** Renders a report as one page without scripts, links or other resources, for light and dark screens. */
export function renderHtml(report: Report, format: TimeFormat): string {
  const since = report.since === null ? '' : ` since ${format.time(report.since)}`;
  const explained = explainSpent(report);
  return renderPage({
    title: 'conductor report',
    style: STYLE,
    body: html`<main>
<h1>conductor report${since}</h1>
<p class="dim">written ${format.time(report.generated_at)}</p>
<p>${summarize(report)}</p>
${report.sections.map(
  ({ id, runs, questions }) => html`<section>
<h2>${SECTION_TITLES[id]} <span class="dim">${runs.length + questions.length}</span></h2>
${runs.map((line) => renderRun(line, id, format))}
${questions.map(renderQuestion)}
</section>`,
)}
${renderNews(report)}
<section>
<h2>${SPENT_TITLE}</h2>
<div class="table"><table>
<thead><tr><th></th><th>runs</th><th>cost</th><th>tokens</th><th>agent time</th></tr></thead>
<tbody>
${spendRows(report, format).map((cells) => html`<tr>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`)}
</tbody>
</table></div>
${explained === null ? [] : html`<p class="dim">${explained}</p>`}
${report.disk.map((disk) => html`<p class="dim">${disk.repository}: ${describeDisk(disk)}</p>`)}
${report.unreadable.map(
  ({ repository, subject, problem }) =>
    html`<p class="dim">${repository}: ${subject} can't be read: ${problem}</p>`,
)}
</section>
</main>`,
  });
}

function renderRun(line: ReportLine, section: string, format: TimeFormat): Markup {
  const quoted = quoteMessage(line);
  const when = format.time(line.ended_at ?? line.updated_at);
  return html`<article class="${section}">
<h3>${titleOf(line)}</h3>
<p class="dim"><code>${line.id}</code> ${line.workflow_id}, ${line.repository}, ${when}</p>
<ul>
${describeRun(line, format).map((text) => html`<li>${text}</li>`)}
</ul>
${quoted.length === 0 ? [] : renderQuote(quoted, section !== 'done')}
${renderCommands(line.commands)}
</article>`;
}

/** Of a run that needs no look, the response is folded away. */
function renderQuote(lines: readonly string[], isOpen: boolean): Markup {
  const quote = html`<summary class="dim">final response</summary>
<blockquote>${lines.join('\n')}</blockquote>`;
  return isOpen ? html`<details open>${quote}</details>` : html`<details>${quote}</details>`;
}

function renderQuestion({ item_id: id, title, question, repository, commands }: ReportQuestion): Markup {
  return html`<article class="needs_you">
<h3>${oneLine(title)}</h3>
<p class="dim">item ${id}, ${repository}</p>
<p>${oneLine(question)}</p>
${renderCommands(commands)}
</article>`;
}

function renderCommands(commands: readonly string[]): Markup | readonly Markup[] {
  if (commands.length === 0) return [];
  return html`<ul class="commands">
${commands.map((command) => html`<li><code>${command}</code></li>`)}
</ul>`;
}

function renderNews({ news }: Report): Markup | readonly Markup[] {
  if (news.length === 0) return [];
  return html`<section>
<h2>${NEWS_TITLE}</h2>
<ul>
${news.map((each) => html`<li><code>${each.id}</code> ${each.repository}: ${describeNews(each)}</li>`)}
</ul>
</section>`;
}
