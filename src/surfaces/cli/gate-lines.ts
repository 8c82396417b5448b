import { answererText } from '../../contracts/answer-origin.ts';
import { stepFolderOf } from '../../contracts/run-files.ts';
import type { RunDirectory } from '../../ports/run-store.ts';
import {
  contentLines,
  decidingLines,
  lastWordLines,
  otherLines,
  totalLine,
} from '../../runtime/gate-change-text.ts';
import { type GateRequest, readGateRequest } from '../../runtime/gate-request.ts';
import {
  checkLines,
  claimLines,
  consequenceLines,
  findingLines,
  goldenBlocks,
  judgementLines,
  noticeLines,
  reasonText,
  violationLines,
} from '../../runtime/gate-text.ts';
import { type GateAnswer, hasExpired, readAnswer } from '../../runtime/gates.ts';
import type { AwaitingView } from '../../runtime/run-view.ts';
import { shortenPath } from '../../text/shorten.ts';
import { wrapLine } from '../../text/wrap-line.ts';
import { printable, shortId } from './terminal.ts';

/** Lines of one kind before the rest is left to the request itself. */
const MAX_LINES = 8;
const MAX_NOTES = 24;

/**
 * What a person should see of a gate before they answer; the request itself has the rest. `width` is that of the terminal, less
 * what is printed before each line.
 */
export async function gateLines(
  directory: RunDirectory,
  awaiting: AwaitingView,
  now: Date,
  width: number,
): Promise<string[]> {
  const request = await readGateRequest(directory, awaiting);
  const answer = await readAnswer(directory, awaiting);
  const reason = request === null ? awaiting.reason : reasonText(request);
  const lines = [printable(reason), timeText(awaiting, now, answer)];
  if (awaiting.approvers.length > 0) lines.push(`approvers: ${awaiting.approvers.join(', ')}`);
  const shown = request === null ? [] : contentOf(request).map(printable);
  const path = request === null ? [] : textPath(directory, awaiting, request, width);
  return [...lines, ...shown, ...path].flatMap((line) => wrapLine(line, width));
}

/** What decides is never cut short. */
function contentOf(request: GateRequest): string[] {
  const total = totalLine(request);
  return [
    ...block('changes what decides', decidingLines(request), Number.POSITIVE_INFINITY),
    ...block('other changes', otherLines(request), MAX_NOTES),
    ...(total === null ? [] : [`in all: ${total}`]),
    ...block('look at', contentLines(request), MAX_NOTES),
    ...block('evaluation', judgementLines(request), MAX_LINES),
    ...block('checks', checkLines(request), MAX_LINES),
    ...block('the agent says', [...claimLines(request), ...lastWordLines(request)], MAX_NOTES),
    ...goldenLines(request),
    ...block('violations', violationLines(request), MAX_LINES),
    ...block('findings', findingLines(request), MAX_LINES),
    ...block('notices', noticeLines(request), MAX_LINES),
    ...block('what each answer leads to', consequenceLines(request), MAX_LINES),
  ];
}

function block(title: string, lines: readonly string[], max: number): string[] {
  if (lines.length === 0) return [];
  const hidden = lines.length - max;
  const more = hidden > 0 ? [`  … and ${hidden} more`] : [];
  return [`${title}:`, ...lines.slice(0, max).map((line) => `  ${line}`), ...more];
}

/** Lines of one difference before the rest is left to `conductor goldens`. */
const MAX_DIFFERENCE = 12;

/** What an approval would put into the files is shown with what it replaces. */
function goldenLines(request: GateRequest): string[] {
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
  return blocks.length === 0
    ? []
    : [...shown, ...more, `all of them: conductor goldens ${shortId(request.run_id)}`];
}

const IN_FULL = 'in full: ';

/** The gate's own text: those of earlier gates, and of this one before it was opened again, are evidence too. */
function textPath(
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

/** Since when a gate waits and until when; the clock may have been put back, which changes neither. */
export function timeText(awaiting: AwaitingView, now: Date, answer: GateAnswer | null): string {
  const since = `since ${awaiting.requestedAt}`;
  if (answer !== null)
    return `${since}, ${answer.answer}${answer.by === null ? '' : ` by ${printable(answererText(answer.by, answer.from))}`}`;
  if (awaiting.expiresAt === null) return since;
  return hasExpired(awaiting, now)
    ? `${since}, expired at ${awaiting.expiresAt}; resume will time it out`
    : `${since}, until ${awaiting.expiresAt}`;
}
