import { type AgentResultFile, agentResultFileSchema } from '../contracts/agent-result.ts';
import { problemsOf } from './problems.ts';

/** How far back from its end a last word is searched for a structured tail. */
const TAIL_LIMIT = 65_536;

/** Lines that an object could start with; a last word with more of them is no such thing. */
const MAX_TRIES = 200;

const TAIL_KEYS = ['claims', 'blockers', 'verdict', 'findings', 'review'] as const;

/**
 * Reads the JSON object that built-in prompts ask an agent to end with. It counts only as the very last thing said:
 * an object that is quoted further up is somebody else's.
 */
export function readTail(text: string): AgentResultFile | null {
  const value = tailIn(text);
  const parsed = agentResultFileSchema.safeParse(value);
  return parsed.success ? parsed.data : null;
}

/** Why an object that was meant as a tail does not count; null when it counts or there is none. */
export function tailProblem(text: string): string | null {
  const value = tailIn(text);
  if (value === null) return null;
  const [problem] = problemsOf(agentResultFileSchema.safeParse(value).error ?? { issues: [] });
  return problem === undefined ? null : `${problem.path}: ${problem.message}`;
}

function tailIn(text: string): object | null {
  const value = lastObject(text, TAIL_LIMIT);
  if (value === null || !TAIL_KEYS.some((key) => Object.hasOwn(value, key))) return null;
  return 'blockers' in value && Array.isArray(value.blockers)
    ? { ...value, blockers: value.blockers.flatMap(typedBlocker) }
    : value;
}

/** Models shorten a blocker to its text. That is no reason to hear nothing of it. */
function typedBlocker(blocker: unknown): unknown[] {
  if (typeof blocker !== 'string') return [blocker];
  const summary = blocker.trim();
  return /^(?:none|n\/a|no blockers?)?\.?$/i.test(summary) ? [] : [{ code: 'unspecified', summary }];
}

/** The JSON object that a text ends with. Inner objects are indented as well, so one at the margin is looked for first. */
export function lastObject(text: string, limit: number): object | null {
  const lines = withoutFence(text.slice(-limit)).split('\n');
  return objectFrom(lines, AT_MARGIN) ?? objectFrom(lines, INDENTED);
}

/** What may stand in front of an object on its first line. */
const AT_MARGIN = /^(?:`{1,3}(?:json\s*)?)?(?=\{)/;
const INDENTED = /^\s+`{0,3}(?=\{)/;

function objectFrom(lines: readonly string[], opening: RegExp): object | null {
  let tries = 0;
  for (let start = lines.length - 1; start >= 0 && tries < MAX_TRIES; start -= 1) {
    const first = lines[start] ?? '';
    if (!opening.test(first)) continue;
    tries += 1;
    const value = parseObject([first.replace(opening, ''), ...lines.slice(start + 1)].join('\n'));
    if (value !== null) return value;
  }
  return null;
}

/** Agents like to put JSON between fences or quote it as code, whatever they are asked. */
function withoutFence(text: string): string {
  return text.trim().replace(/\s*`{1,3}$/, '');
}

function parseObject(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}
