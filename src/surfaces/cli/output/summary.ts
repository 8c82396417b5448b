import { findResultBranch } from '../../../app/runs/next-commands.ts';
import { attemptName } from '../../../app/runs/open-run.ts';
import { describePath } from '../../../app/runs/path-text.ts';
import type { Spend } from '../../../contracts/cli/cli-report-document.ts';
import { spendOfStart, sumSpend } from '../../../overview/spend.ts';
import { answerText } from '../../../runtime/gates/answer-text.ts';
import { blockingReason } from '../../../runtime/record/derived-files.ts';
import { noticeText } from '../../../runtime/record/preparation-text.ts';
import { findParked, type RunView } from '../../../runtime/record/run-view.ts';
import { shortenPath } from '../../../text/shorten.ts';
import { wrapLine } from '../../../text/wrap-line.ts';
import { flakyLines } from './flaky-text.ts';
import { untilText } from './gate-lines.ts';
import { preparationLines } from './preparation-lines.ts';
import { formatDuration, type Paint, printable, type Terminal } from './terminal.ts';

export interface SummaryFacts {
  readonly view: RunView;
  /** The short id of the run. */
  readonly id: string;
  /** Whether a process drives the run now. */
  readonly driven: boolean;
  /** Absolute; a narrow terminal shows only the end of it. */
  readonly runDirectory: string;
  readonly diffStat: readonly string[];
  /** The findings of validations and the approval requests of agents. */
  readonly findings: readonly string[];
  /** Notes on how far the checks can be trusted. Not shown with an open gate, which has them itself. */
  readonly checks: readonly string[];
  /** The open gate as lines; empty if there is none. */
  readonly gate: readonly string[];
  readonly nextCommands: readonly string[];
  readonly now: Date;
  /** The width of the terminal; infinite for a pipe. */
  readonly width: number;
}

const UNVERIFIED = 'the last change to files has no passed validation after it';

/** The summary of a run: its outcome, its path, the reasons and the next commands. */
export function renderSummary(terminal: Pick<Terminal, 'paint'>, facts: SummaryFacts): string {
  const { view } = facts;
  const { paint } = terminal;
  const lines = [
    '',
    headline(paint, facts),
    ...(view.title === null ? [] : [`  ${printable(view.title)}`]),
    '',
  ];
  const prepared = preparationLines(view);
  if (prepared.length > 0)
    lines.push(paint.bold('  setup and baseline'), ...prepared.map((line) => `    ${line}`));
  lines.push(paint.bold('  path'), `    ${describePath(view, facts.driven)}`);
  if (facts.gate.length > 0) lines.push(paint.bold('  gate'), ...facts.gate.map((line) => `    ${line}`));
  if (view.answers.length > 0)
    lines.push(
      paint.bold('  gate answers'),
      ...view.answers.map((each) => `    ${printable(answerText(each))}`),
    );
  const reason = view.end?.outcome === 'unverified' ? UNVERIFIED : blockingReason(view);
  const evaluations = evaluationLines(view, reason ?? '');
  if (evaluations.length > 0)
    lines.push(paint.bold('  evaluations'), ...evaluations.map((line) => `    ${line}`));
  const checks = facts.checks.map(printable).filter((line) => !prepared.some((each) => each.includes(line)));
  if (facts.gate.length === 0 && checks.length > 0)
    lines.push(paint.bold('  checks'), ...checks.map((line) => paint.yellow(`    ${line}`)));
  const flaky = flakyLines(view.steps);
  if (flaky.length > 0)
    lines.push(paint.bold('  flaky'), ...flaky.map((line) => paint.yellow(`    ${printable(line)}`)));
  const isHalted = view.end !== null || findParked(view) !== null;
  if (reason !== null && isHalted)
    lines.push(
      paint.bold('  why'),
      // What follows the first line is output, or a block to copy.
      ...`    ${printable(reason)}`.split('\n'),
    );
  for (const violation of view.violations)
    lines.push(paint.red(`    ${violation.class}: ${printable(violation.message)}`));
  if (view.notices.length > 0)
    lines.push(
      paint.bold('  notices'),
      ...view.notices.map((notice) => paint.yellow(`    ${printable(noticeText(notice))}`)),
    );
  if (facts.findings.length > 0)
    lines.push(
      paint.bold('  findings'),
      ...facts.findings.map((line) => paint.yellow(`    ${printable(line)}`)),
    );
  const used = usageText(view);
  if (used !== null) lines.push(paint.bold('  usage'), `    ${used}`);
  if (facts.diffStat.length > 0)
    lines.push(paint.bold('  changed'), ...facts.diffStat.map((line) => `    ${line}`));
  lines.push(
    paint.bold('  evidence'),
    `    ${shortenPath(facts.runDirectory, facts.width - 4)}`,
    ...branchLines(view),
  );
  if (facts.nextCommands.length > 0)
    lines.push(paint.bold('  next'), ...facts.nextCommands.map((command) => `    ${command}`));
  return `${lines.flatMap((line) => wrapLine(line, facts.width)).join('\n')}\n`;
}

function headline(paint: Paint, { view, driven, now, id: runId }: SummaryFacts): string {
  const id = paint.dim(runId);
  const ended = view.endedAt ?? view.updatedAt;
  const time = formatDuration(Date.parse(ended) - Date.parse(view.startedAt));
  const name = paint.bold(view.started.workflow_id);
  if (view.awaiting !== null)
    return `${paint.yellow('● waiting')} for approval at gate ${view.awaiting.stepId}  ${name}  ${id}`;
  const parked = findParked(view);
  if (parked !== null)
    return `${paint.yellow('● waiting')} until ${parked.until} (${untilText(parked.until, now)}) at ${parked.stepId}  ${name}  ${id}`;
  if (view.end === null) return `${paint.yellow(driven ? '● running' : '● interrupted')}  ${name}  ${id}`;
  const { lifecycle, outcome } = view.end;
  const colour = outcome === 'success' ? paint.green : lifecycle === 'failed' ? paint.red : paint.yellow;
  const mark = outcome === 'success' ? '✓' : lifecycle === 'failed' ? '✗' : '~';
  return `${colour(`${mark} ${outcome}`)} in ${time}  ${name}  ${id}`;
}

/** One line per evaluation. Omits reasons that are part of `stated`, which the summary shows elsewhere. */
function evaluationLines(view: RunView, stated: string): string[] {
  return view.steps
    .filter((step) => step.opcode === 'EVALUATE' && step.termination !== null)
    .map((step) => {
      const head = `${attemptName(step)}: ${step.termination}`;
      return step.reason === null || stated.includes(step.reason)
        ? head
        : `${head}: ${printable(step.reason)}`;
    });
}

function branchLines(view: RunView): string[] {
  const ref = findResultBranch(view);
  if (ref === null) return [];
  return [ref.startsWith('refs/') ? `    result ${ref}` : `    branch ${ref}`];
}

/** The usage that agents and planners reported; null if no agent has run. */
function usageText({ starts, steps }: Pick<RunView, 'starts' | 'steps'>): string | null {
  if (!steps.some(({ opcode }) => opcode === 'RUN_AGENT')) return null;
  const spend = sumSpend(starts.map(spendOfStart));
  const input = formatSpent(spend, 'input_tokens');
  const output = formatSpent(spend, 'output_tokens');
  const tokens =
    input === null && output === null
      ? 'tokens unknown'
      : `${input ?? 'unknown'} tokens in, ${output ?? 'unknown'} out`;
  const cost = formatSpent(spend, 'cost_usd');
  return `${tokens}; cost ${cost === null ? 'unknown' : `${cost} USD`}`;
}

/** `0.5`, or `at least 0.5` if some starts didn't report it; null if none did. */
function formatSpent(spend: Spend, measure: 'input_tokens' | 'output_tokens' | 'cost_usd'): string | null {
  const unknown = spend.unknown[measure];
  if (unknown === spend.starts) return null;
  return `${unknown > 0 ? 'at least ' : ''}${spend[measure]}`;
}
