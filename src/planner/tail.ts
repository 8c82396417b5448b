import { type AgentResultFile, agentResultFileSchema } from '../contracts/run/agent-result.ts';
import { parseJsonObject } from '../text/json.ts';
import { toProblems } from './table/problems.ts';

/** Number of characters at the end of a final message that are searched for a structured tail. */
const TAIL_LIMIT = 65_536;

/** Maximum number of lines tried as the start of an object; a message with more of them has no tail. */
const MAX_TRIES = 200;

const TAIL_KEYS = ['claims', 'blockers', 'verdict', 'findings', 'review'] as const;

/**
 * Reads the JSON object that built-in prompts ask an agent to end with. It only counts at the very end: an object
 * further up may be a quotation.
 */
export function readTail(text: string): AgentResultFile | null {
  const value = findTail(text);
  const parsed = agentResultFileSchema.safeParse(value);
  return parsed.success ? parsed.data : null;
}

/** Why an object that was meant as a tail is invalid; null when it is valid or missing. */
export function tailProblem(text: string): string | null {
  const value = findTail(text);
  if (value === null) return null;
  const [problem] = toProblems(agentResultFileSchema.safeParse(value).error ?? { issues: [] });
  return problem === undefined ? null : `${problem.path}: ${problem.message}`;
}

function findTail(text: string): object | null {
  const value = findLastObject(text, TAIL_LIMIT);
  if (value === null || !TAIL_KEYS.some((key) => Object.hasOwn(value, key))) return null;
  return 'blockers' in value && Array.isArray(value.blockers)
    ? { ...value, blockers: value.blockers.flatMap(normaliseBlocker) }
    : value;
}

/** Accepts a blocker that a model shortened to its text, so that it isn't lost. */
function normaliseBlocker(blocker: unknown): unknown[] {
  if (typeof blocker !== 'string') return [blocker];
  const summary = blocker.trim();
  return /^(?:none|n\/a|no blockers?)?\.?$/i.test(summary) ? [] : [{ code: 'unspecified', summary }];
}

/**
 * The JSON object that a text ends with. Looks for an unindented object first, because an indented one may be
 * nested.
 */
export function findLastObject(text: string, limit: number): object | null {
  const lines = stripClosingFence(text.slice(-limit)).split('\n');
  return findObject(lines, AT_MARGIN) ?? findObject(lines, INDENTED);
}

/** What may precede an object on its first line. */
const AT_MARGIN = /^(?:`{1,3}(?:json\s*)?)?(?=\{)/;
const INDENTED = /^\s+`{0,3}(?=\{)/;

function findObject(lines: readonly string[], opening: RegExp): object | null {
  let tries = 0;
  for (let start = lines.length - 1; start >= 0 && tries < MAX_TRIES; start -= 1) {
    const first = lines[start] ?? '';
    if (!opening.test(first)) continue;
    tries += 1;
    const value = parseJsonObject([first.replace(opening, ''), ...lines.slice(start + 1)].join('\n'));
    if (value !== null) return value;
  }
  return null;
}

/** Agents often put JSON in a code fence or in backticks, whatever the prompt asks for. */
function stripClosingFence(text: string): string {
  return text.trim().replace(/\s*`{1,3}$/, '');
}
