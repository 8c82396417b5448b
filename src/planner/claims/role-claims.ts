import type { AgentResultFile } from '../../contracts/run/agent-result.ts';
import { isJsonObject, type JsonObject } from '../../text/json.ts';
import { collapseSpace } from '../../text/outside-text.ts';
import { lastObject } from '../tail.ts';

/** The result that a role returns, before validation. */
export type RoleWords = JsonObject;

/** Larger than the limit for other tails, because a plan for many items is long. */
const RESULT_LIMIT = 1024 * 1024;

/** A blocker is one line of the evidence; the result keeps the full summary. */
const SUMMARY_LIMIT = 500;

/** Finds the object with a `role`: the value itself, or its `result`. */
export function roleWordsOf(value: unknown): RoleWords | null {
  if (!isJsonObject(value)) return null;
  if (typeof value.role === 'string') return value;
  return isJsonObject(value.result) && typeof value.result.role === 'string' ? value.result : null;
}

/** Reads the result file, or else the JSON object at the end of the final message. */
export function roleWordsFrom(result: AgentResultFile | null, finalResponse: string): RoleWords | null {
  return roleWordsOf(result) ?? roleWordsOf(lastObject(finalResponse, RESULT_LIMIT));
}

/** The blocker of an implementor that reports one only through its outcome. */
export function blockersIn(result: RoleWords | null): { code: string; summary: string }[] {
  if (result?.role !== 'implementor' || typeof result.summary !== 'string') return [];
  if (result.outcome !== 'blocked' && result.outcome !== 'validation-failure') return [];
  const type = /\btype\W{1,4}([a-z]+(?:-[a-z]+)+)/i.exec(result.summary)?.[1]?.toLowerCase();
  const summary = collapseSpace(result.summary).slice(0, SUMMARY_LIMIT);
  return [{ code: type ?? result.outcome, summary }];
}
