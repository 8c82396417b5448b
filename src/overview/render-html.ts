import type { Report, ReportLine, ReportQuestion } from '../contracts/cli/cli-report-document.ts';
import { cleanOutput, oneLine } from '../text/outside-text.ts';
import {
  describeDisk,
  describeNews,
  describeRun,
  NEWS_TITLE,
  quoteMessage,
  SECTION_TITLES,
  SPENT_TITLE,
  spendRows,
  type TimeFormat,
  titleOf,
} from './report-words.ts';

/** Markup that is safe to put into the page: only `html` creates it. */
interface Markup {
  readonly markup: string;
}

type Part = string | Markup | readonly Markup[];

/** Builds markup from a template; every text in it is escaped. */
function html(pieces: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  return { markup: pieces.map((piece, at) => piece + formatPart(parts[at] ?? '')).join('') };
}

function formatPart(part: Part): string {
  if (typeof part === 'string') return escapeHtml(part);
  return 'markup' in part ? part.markup : part.map(({ markup }) => markup).join('\n');
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return cleanOutput(text).replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '');
}

const STYLE = `
:root { color-scheme: light dark; --fg: #1b1f24; --dim: #57606a; --bg: #ffffff; --card: #f6f8fa; --line: #d0d7de;
  --needs_you: #9a6700; --claimed_not_shown: #9a6700; --done: #1a7f37; --failed: #cf222e; --running: #0969da; }
@media (prefers-color-scheme: dark) { :root { --fg: #e6edf3; --dim: #9198a1; --bg: #0d1117; --card: #161b22;
  --line: #30363d; --needs_you: #d29922; --claimed_not_shown: #d29922; --done: #3fb950; --failed: #f85149;
  --running: #58a6ff; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1rem; max-width: 60rem; background: var(--bg); color: var(--fg);
  font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.35rem; margin: 0; }
h2 { font-size: 1.1rem; margin: 1.75rem 0 .5rem; }
h3 { font-size: 1rem; margin: 0; }
p, ul { margin: .25rem 0; }
ul { padding-left: 1.1rem; }
.dim { color: var(--dim); font-size: .875rem; }
article { background: var(--card); border: 1px solid var(--line); border-left: .25rem solid var(--mark, var(--line));
  border-radius: .375rem; padding: .75rem 1rem; margin: .5rem 0; }
.needs_you { --mark: var(--needs_you); } .claimed_not_shown { --mark: var(--claimed_not_shown); }
.done { --mark: var(--done); } .failed { --mark: var(--failed); } .running { --mark: var(--running); }
blockquote { margin: .5rem 0; padding-left: .75rem; border-left: 2px solid var(--line); color: var(--dim);
  white-space: pre-wrap; font-size: .875rem; }
code { font: .875rem/1.4 ui-monospace, monospace; }
.commands { list-style: none; padding: 0; }
.commands code { display: block; background: var(--bg); border: 1px solid var(--line); border-radius: .25rem;
  padding: .25rem .5rem; margin: .25rem 0; }
.table { overflow-x: auto; }
table { border-collapse: collapse; font-size: .875rem; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .25rem .75rem .25rem 0; border-bottom: 1px solid var(--line);
  overflow-wrap: normal; }
`;

/** Renders a report as one page without scripts, links or other resources, for light and dark screens. */
export function renderHtml(report: Report, format: TimeFormat): string {
  const since = report.since === null ? '' : ` since ${format.time(report.since)}`;
  const style = { markup: STYLE };
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>conductor report</title>
<style>${style}</style>
</head>
<body>
<h1>conductor report${since}</h1>
<p class="dim">written ${format.time(report.generated_at)}</p>
${report.sections.map(
  ({ id, runs, questions }) => html`<section>
<h2>${SECTION_TITLES[id]}</h2>
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
${report.disk.map((disk) => html`<p class="dim">${disk.repository}: ${describeDisk(disk)}</p>`)}
${report.unreadable.map(
  ({ repository, subject, problem }) =>
    html`<p class="dim">${repository}: ${subject} can't be read: ${problem}</p>`,
)}
</section>
</body>
</html>
`;
  return page.markup;
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
${quoted.length === 0 ? [] : html`<blockquote>${quoted.join('\n')}</blockquote>`}
${renderCommands(line.commands)}
</article>`;
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
