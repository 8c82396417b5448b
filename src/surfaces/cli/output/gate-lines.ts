import { type GateDetails, readGate } from '../../../app/runs/list-gates.ts';
import { answererText } from '../../../contracts/run/answer-origin.ts';
import { stepFolderOf } from '../../../contracts/run/run-files.ts';
import type { RunDirectory, RunRecord } from '../../../ports/run-store.ts';
import {
  formatContentNotes,
  formatDecidingFiles,
  formatLastMessage,
  formatOtherFiles,
  formatTotal,
} from '../../../runtime/gates/gate-change-text.ts';
import type { GateRequest } from '../../../runtime/gates/gate-request.ts';
import {
  checkLines,
  claimLines,
  consequenceLines,
  evaluationLines,
  findingLines,
  goldenBlocks,
  noticeLines,
  reasonText,
  violationLines,
} from '../../../runtime/gates/gate-text.ts';
import { type GateAnswer, hasExpired } from '../../../runtime/gates/open-gates.ts';
import type { AwaitingView } from '../../../runtime/record/run-view.ts';
import { shortenPath } from '../../../text/shorten.ts';
import { wrapLine } from '../../../text/wrap-line.ts';
import { formatAge, printable } from './terminal.ts';

/** The maximum number of lines in a block; the gate request has the rest. */
const MAX_LINES = 8;
const MAX_NOTES = 24;

/** Reads an open gate and renders it with `renderGate`. */
export async function gateLines(
  record: Pick<RunRecord, 'directory' | 'inbox'>,
  awaiting: AwaitingView,
  now: Date,
  width: number,
  id = record.directory.runId,
): Promise<string[]> {
  return renderGate(await readGate(record, awaiting), { now, width, id });
}

interface GateView {
  readonly now: Date;
  /** The width of the terminal minus the indentation of the lines. */
  readonly width: number;
  /** The id of the run in the suggested commands. */
  readonly id: string;
}

/** What a reviewer should see before answering a gate; the gate request has the rest. */
export function renderGate(
  { directory, awaiting, request, answer }: GateDetails,
  { now, width, id }: GateView,
): string[] {
  const reason = request === null ? awaiting.reason : reasonText(request);
  const lines = [printable(reason), timeText(awaiting, now, answer)];
  if (awaiting.approvers.length > 0) lines.push(`approvers: ${awaiting.approvers.join(', ')}`);
  const shown = request === null ? [] : renderContent(request, id, answer !== null).map(printable);
  const path = request === null ? [] : textPathLines(directory, awaiting, request, width);
  return [...lines, ...shown, ...path].flatMap((line) => wrapLine(line, width));
}

/** Changes that influence the decision are never truncated. */
function renderContent(request: GateRequest, id: string, isAnswered: boolean): string[] {
  const total = formatTotal(request);
  return [
    ...renderBlock(
      'changes to tests, checks and build files',
      formatDecidingFiles(request),
      Number.POSITIVE_INFINITY,
    ),
    ...renderBlock('other changes', formatOtherFiles(request), MAX_NOTES),
    ...(total === null ? [] : [`in all: ${total}`]),
    ...renderBlock('look at', formatContentNotes(request), MAX_NOTES),
    ...renderBlock('evaluation', evaluationLines(request), MAX_LINES),
    ...renderBlock('checks', checkLines(request), MAX_LINES),
    ...renderBlock('the agent says', [...claimLines(request), ...formatLastMessage(request)], MAX_NOTES),
    ...goldenLines(request, id),
    ...renderBlock('violations', violationLines(request), MAX_LINES),
    ...renderBlock('findings', findingLines(request), MAX_LINES),
    ...renderBlock('notices', noticeLines(request), MAX_LINES),
    ...(isAnswered ? [] : renderBlock('what each answer leads to', consequenceLines(request), MAX_LINES)),
  ];
}

function renderBlock(title: string, lines: readonly string[], max: number): string[] {
  if (lines.length === 0) return [];
  const hidden = lines.length - max;
  const more = hidden > 0 ? [`  … and ${hidden} more`] : [];
  return [`${title}:`, ...lines.slice(0, max).map((line) => `  ${line}`), ...more];
}

/** The maximum number of lines of one difference; `conductor goldens` shows the rest. */
const MAX_DIFFERENCE = 12;

/** The proposed goldens with their differences from the stored ones. */
function goldenLines(request: GateRequest, id: string): string[] {
  const blocks = goldenBlocks(request);
  const shown = blocks.slice(0, MAX_LINES).flatMap(({ title, details, difference }) => {
    const hidden = difference.length - MAX_DIFFERENCE;
    return [
      `proposes golden ${title}`,
      ...details.map((detail) => `    ${detail}`),
      ...difference.slice(0, MAX_DIFFERENCE).map((line) => `    ${line}`),
      ...(hidden > 0 ? [`    … and ${hidden} more lines`] : []),
    ];
  });
  const hidden = blocks.length - MAX_LINES;
  const more = hidden > 0 ? [`proposes golden … and ${hidden} more`] : [];
  return blocks.length === 0 ? [] : [...shown, ...more, `all of them: conductor goldens ${id}`];
}

const IN_FULL = 'in full: ';

/** The path of this gate's text. The evidence also has the texts of other gates and of earlier attempts at this one. */
function textPathLines(
  directory: RunDirectory,
  { stepId, attempt }: AwaitingView,
  { evidence }: GateRequest,
  width: number,
): string[] {
  const folder = `${stepFolderOf(stepId, attempt)}/`;
  const text = evidence.find(({ role, path }) => role === 'gate_request_text' && path.startsWith(folder));
  if (text === undefined) return [];
  const shown = shortenPath(directory.resolve(text.path), width - IN_FULL.length);
  return [`${IN_FULL}${shown}`];
}

/** How long a gate has been open and when it expires. */
export function timeText(awaiting: AwaitingView, now: Date, answer: GateAnswer | null): string {
  const since = `opened ${formatAge(now.getTime() - Date.parse(awaiting.requestedAt))} ago`;
  if (answer !== null) return `${since}, ${answeredText(answer)}`;
  if (awaiting.expiresAt === null) return since;
  return hasExpired(awaiting, now)
    ? `${since}, expired ${formatAge(now.getTime() - Date.parse(awaiting.expiresAt))} ago; resume will time it out`
    : `${since}, expires ${untilText(awaiting.expiresAt, now)}`;
}

/** `approved by Ann (user alice, no terminal)`. */
export function answeredText({ answer, by, from }: GateAnswer): string {
  const word = answer.replace('gate_', '').replace('_', ' ');
  return by === null ? word : `${word} by ${printable(answererText(by, from))}`;
}

/** `in 25 m`, or `now` for a time that has passed. */
export function untilText(time: string, now: Date): string {
  const ms = Date.parse(time) - now.getTime();
  return ms <= 0 ? 'now' : `in ${formatAge(ms)}`;
}
