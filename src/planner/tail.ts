import { type AgentResultFile, agentResultFileSchema } from '../contracts/agent-result.ts';

/** How far back from its end a last word is searched for a structured tail. */
const TAIL_LIMIT = 65_536;

const TAIL_KEYS = ['claims', 'blockers', 'verdict', 'findings', 'review'] as const;

/**
 * Reads the JSON object that built-in prompts ask an agent to end with. It counts only as the very last thing said:
 * an object that is quoted further up is somebody else's.
 */
export function readTail(text: string): AgentResultFile | null {
  const lines = withoutFence(text.slice(-TAIL_LIMIT)).split('\n');
  for (let start = lines.length - 1; start >= 0; start -= 1) {
    if (!lines[start]?.startsWith('{')) continue;
    const value = parseObject(lines.slice(start).join('\n'));
    if (value === null) continue;
    const parsed = agentResultFileSchema.safeParse(value);
    return parsed.success && TAIL_KEYS.some((key) => Object.hasOwn(value, key)) ? parsed.data : null;
  }
  return null;
}

/** Agents like to put JSON between fences, whatever they are asked. */
function withoutFence(text: string): string {
  return text.trim().replace(/\s*```$/, '');
}

function parseObject(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}
