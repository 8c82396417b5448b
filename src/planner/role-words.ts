import type { AgentResultFile } from '../contracts/agent-result.ts';
import { lastObject } from './tail.ts';

/** What a role gives back, as it was written and before anybody has checked it. */
export type RoleWords = Record<string, unknown>;

/** A plan for many items is far longer than what else an agent ends with. */
const RESULT_LIMIT = 1024 * 1024;

/** A blocker is a line of the evidence; the whole summary is kept with the result. */
const SUMMARY_LIMIT = 500;

/** The object with a `role`: the value itself, or what it has under `result`. */
export function roleWordsOf(value: unknown): RoleWords | null {
  if (!isObject(value)) return null;
  if (typeof value.role === 'string') return value;
  return isObject(value.result) && typeof value.result.role === 'string' ? value.result : null;
}

/** From the result file, or else from the JSON object that the last word ends with. */
export function roleWordsFrom(result: AgentResultFile | null, finalResponse: string): RoleWords | null {
  return roleWordsOf(result) ?? roleWordsOf(lastObject(finalResponse, RESULT_LIMIT));
}

/** What kept an implementor from finishing, where it says so by its outcome alone. */
export function blockersIn(words: RoleWords | null): { code: string; summary: string }[] {
  if (words?.role !== 'implementor' || typeof words.summary !== 'string') return [];
  if (words.outcome !== 'blocked' && words.outcome !== 'validation-failure') return [];
  const type = /\btype\W{1,4}([a-z]+(?:-[a-z]+)+)/i.exec(words.summary)?.[1]?.toLowerCase();
  const summary = words.summary.replace(/\s+/g, ' ').trim().slice(0, SUMMARY_LIMIT);
  return [{ code: type ?? words.outcome, summary }];
}

function isObject(value: unknown): value is RoleWords {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
