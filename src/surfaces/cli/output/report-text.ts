import type { Report, ReportLine, ReportQuestion } from '../../../contracts/cli/cli-report-document.ts';
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
} from '../../../overview/report-lines.ts';
import { oneLine } from '../../../text/outside-text.ts';
import { wrapLine } from '../../../text/wrap-line.ts';
import { renderTable } from './table.ts';
import { formatAge, formatDuration, type Output, type Paint } from './terminal.ts';

/** Renders a report for the terminal, with times relative to when it was composed. */
export function renderReport({ paint, width }: Pick<Output, 'paint' | 'width'>, report: Report): string {
  const format = relativeTimes(Date.parse(report.generated_at));
  const blocks = report.sections.map(({ id, runs, questions }) => [
    paint.bold(`${SECTION_TITLES[id]} (${runs.length + questions.length})`),
    ...runs.flatMap((line) => runLines(paint, line, format)),
    ...questions.flatMap((question) => questionLines(paint, question)),
  ]);
  if (report.news.length > 0)
    blocks.push([
      paint.bold(NEWS_TITLE),
      ...report.news.map(
        (news) => `  ${paint.dim(news.id)} ${oneLine(news.repository)}: ${describeNews(news)}`,
      ),
    ]);
  if (report.sections.length === 0)
    blocks.push([`no run was active${report.since === null ? '' : ` since ${format.time(report.since)}`}`]);
  const text = blocks.map((lines) => `${wrap(lines, width)}\n`).join('\n');
  return text + renderSpent(paint, report, format, width);
}

function renderSpent(paint: Paint, report: Report, format: TimeFormat, width: number): string {
  const rest = [
    ...report.disk.map((disk) => `  ${oneLine(disk.repository)}: ${describeDisk(disk)}`),
    ...report.unreadable.map(({ repository, subject, problem }) =>
      paint.red(`  ${oneLine(`${repository}: ${subject} can't be read: ${problem}`)}`),
    ),
  ];
  const explained = explainSpent(report);
  const note = explained === null ? '' : `${wrap([`  ${paint.dim(explained)}`], width)}\n`;
  const table =
    report.spent.total.starts === 0
      ? ''
      : `\n${paint.bold(SPENT_TITLE)}\n${renderTable(spendRows(report, format), '  ', { width, drop: [1, 3] })}${note}`;
  return rest.length === 0 ? table : `${table}\n${wrap(rest, width)}\n`;
}

function runLines(paint: Paint, line: ReportLine, format: TimeFormat): string[] {
  const when = format.time(line.ended_at ?? line.updated_at);
  return [
    `  ${paint.bold(titleOf(line))}`,
    `    ${paint.dim(`${line.id}  ${oneLine(line.workflow_id)}  ${oneLine(line.repository)}  ${when}`)}`,
    ...describeRun(line, format).map((text) => `    ${text}`),
    ...quoteMessage(line).map((text) => `    ${paint.dim(`> ${text}`)}`),
    ...line.commands.map((command) => `    ${paint.blue(command)}`),
  ];
}

function questionLines(paint: Paint, question: ReportQuestion): string[] {
  return [
    `  ${paint.bold(oneLine(question.title))}`,
    `    ${paint.dim(`item ${question.item_id}  ${oneLine(question.repository)}`)}`,
    `    ${oneLine(question.question)}`,
    ...question.commands.map((command) => `    ${paint.blue(command)}`),
  ];
}

function wrap(lines: readonly string[], width: number): string {
  return lines.flatMap((line) => wrapLine(line, width)).join('\n');
}

function relativeTimes(nowMs: number): TimeFormat {
  return {
    time: (iso) => {
      const ms = Date.parse(iso) - nowMs;
      return ms > 0 ? `in ${formatAge(ms)}` : `${formatAge(-ms)} ago`;
    },
    duration: formatDuration,
  };
}
