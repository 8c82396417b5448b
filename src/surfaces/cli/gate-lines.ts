import { answererText } from '../../contracts/answer-origin.ts';
import { stepFolderOf } from '../../contracts/run-files.ts';
import type { RunDirectory } from '../../ports/run-store.ts';
import { type GateRequest, readGateRequest } from '../../runtime/gate-request.ts';
import {
  changeLines,
  checkLines,
  claimLines,
  consequenceLines,
  findingLines,
  goldenBlocks,
  judgementLines,
  noticeLines,
  violationLines,
} from '../../runtime/gate-text.ts';
import { type GateAnswer, hasExpired, readAnswer } from '../../runtime/gates.ts';
import type { AwaitingView } from '../../runtime/run-view.ts';
import { printable, shortId } from './terminal.ts';

/** Lines of one kind before the rest is left to the request itself. */
const MAX_LINES = 8;

/** What a person should see of a gate before they answer; the request itself has the rest. */
export async function gateLines(
  directory: RunDirectory,
  awaiting: AwaitingView,
  now: Date,
): Promise<string[]> {
  const request = await readGateRequest(directory, awaiting);
  const answer = await readAnswer(directory, awaiting);
  const lines = [printable(awaiting.reason), timeText(awaiting, now, answer)];
  if (awaiting.approvers.length > 0) lines.push(`approvers: ${awaiting.approvers.join(', ')}`);
  if (request === null) return lines;
  return [...lines, ...contentLines(request).map(printable), ...textPath(directory, awaiting, request)];
}

function contentLines(request: GateRequest): string[] {
  return [
    ...prefixed('judged ', judgementLines(request)),
    ...prefixed('checks: ', checkLines(request)),
    ...prefixed('claimed ', claimLines(request)),
    ...prefixed('changed ', changeLines(request)),
    ...goldenLines(request),
    ...prefixed('violation ', violationLines(request)),
    ...prefixed('finding ', findingLines(request)),
    ...prefixed('notice: ', noticeLines(request)),
    ...consequenceLines(request),
  ];
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

function prefixed(prefix: string, lines: readonly string[]): string[] {
  const hidden = lines.length - MAX_LINES;
  const shown = lines.slice(0, MAX_LINES).map((line) => `${prefix}${line}`);
  return hidden > 0 ? [...shown, `${prefix}… and ${hidden} more`] : shown;
}

/** The gate's own text: those of earlier gates, and of this one before it was opened again, are evidence too. */
function textPath(
  directory: RunDirectory,
  { stepId, attempt }: AwaitingView,
  { evidence }: GateRequest,
): string[] {
  const folder = `${stepFolderOf(stepId, attempt)}/`;
  const text = evidence.find(({ role, path }) => role === 'gate_request_text' && path.startsWith(folder));
  return text === undefined ? [] : [`in full: ${directory.resolve(text.path)}`];
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
