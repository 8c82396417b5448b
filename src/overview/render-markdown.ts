import type { Report, ReportLine, ReportQuestion } from '../contracts/cli/cli-report-document.ts';
import { oneLine } from '../text/outside-text.ts';
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
  type TimeFormat,
  titleOf,
} from './report-lines.ts';

/** Renders a report as Markdown. Texts from outside can't become markup or links to other places. */
export function renderMarkdown(report: Report, format: TimeFormat): string {
  const since = report.since === null ? '' : ` since ${format.time(report.since)}`;
  const lines = [`# conductor report${since}`, ''];
  for (const { id, runs, questions } of report.sections) {
    lines.push(`## ${SECTION_TITLES[id]}`, '');
    for (const line of runs) lines.push(...runLines(line, format));
    for (const question of questions) lines.push(...questionLines(question));
    lines.push('');
  }
  if (report.news.length > 0) {
    lines.push(`## ${NEWS_TITLE}`, '');
    for (const news of report.news)
      lines.push(`- \`${news.id}\` ${escapeMarkdown(`${news.repository}: ${describeNews(news)}`)}`);
    lines.push('');
  }
  lines.push(`## ${SPENT_TITLE}`, '', ...spendTable(report, format), '');
  const explained = explainSpent(report);
  if (explained !== null) lines.push(escapeMarkdown(explained), '');
  for (const disk of report.disk)
    lines.push(`- ${escapeMarkdown(`${disk.repository}: ${describeDisk(disk)}`)}`);
  for (const { repository, subject, problem } of report.unreadable)
    lines.push(`- ${escapeMarkdown(`${repository}: ${subject} can't be read: ${problem}`)}`);
  return `${lines.join('\n').trimEnd()}\n`;
}

function runLines(line: ReportLine, format: TimeFormat): string[] {
  const when = format.time(line.ended_at ?? line.updated_at);
  return [
    `- **${escapeMarkdown(titleOf(line))}** \`${line.id}\` ${escapeMarkdown(`${line.workflow_id}, ${line.repository}, ${when}`)}`,
    ...describeRun(line, format).map((text) => `  - ${escapeMarkdown(text)}`),
    ...quoteMessage(line).map((text, at) => `${at === 0 ? '  -' : '   '} > ${escapeMarkdown(text)}`),
    ...line.commands.map((command) => `  - ${codeSpan(command)}`),
  ];
}

function questionLines({ item_id: id, title, question, repository, commands }: ReportQuestion): string[] {
  return [
    `- **${escapeMarkdown(title)}** item ${escapeMarkdown(id)}, ${escapeMarkdown(repository)}`,
    `  - ${escapeMarkdown(question)}`,
    ...commands.map((command) => `  - ${codeSpan(command)}`),
  ];
}

function spendTable(report: Report, format: TimeFormat): string[] {
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [
    row(['', 'runs', 'cost', 'tokens', 'agent time']),
    row(['---', '---', '---', '---', '---']),
    ...spendRows(report, format).map((cells) => row(cells.map(escapeMarkdown))),
  ];
}

/** Digits can't be escaped, but the point after them can. */
function escapeMatch(text: string): string {
  return /\d/.test(text) ? `${text}\\` : `\\${text}`;
}

/** Neutralises a text, puts it on one line, and escapes what Markdown or HTML could give a meaning. */
function escapeMarkdown(text: string): string {
  return oneLine(text)
    .replace(/[\\`*_{}[\]<>()#!|~&]|^[-+=]|^\d+(?=[.)])/g, escapeMatch)
    .replace(/:\/\//g, ':\\/\\/')
    .replace(/\b(www)\./gi, '$1\\.')
    .replace(/@/g, '\\@');
}

/** A code span with a fence longer than any in the text. */
function codeSpan(text: string): string {
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence} ${oneLine(text)} ${fence}`;
}
