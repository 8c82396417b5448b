import type { AgentStart, RunSummary } from '../contracts/run/run-summary.ts';
import { type AgentShare, addSpent, type Spent, type StatsRow } from './stats-row.ts';

/** The times of a run that `stats` needs, computed by the caller. */
export interface RunTimes {
  readonly startedDay: number;
  readonly wallMs: number | null;
}

const NOTHING_SPENT: Spent = { attempts: 0, tokens: 0, costUsd: 0 };

/** Totals include planners, which are no agents of a step and have no share. */
export function createStatsRow(summary: RunSummary, times: RunTimes): StatsRow {
  return {
    ...addStarts(summary.starts),
    ...times,
    workflow: summary.workflow_id,
    outcome: summary.outcome,
    contradictions: summary.decisions.reduce((sum, { contradictions }) => sum + contradictions, 0),
    shares: createShares(summary.starts.filter(isAgentStart)),
  };
}

function isAgentStart({ opcode }: AgentStart): boolean {
  return opcode === 'RUN_AGENT';
}

/** One share for each combination of agent, model and prompt. */
function createShares(starts: readonly AgentStart[]): AgentShare[] {
  const groups = new Map<string, AgentStart[]>();
  for (const start of starts) {
    const key = JSON.stringify([start.agent, start.model, formatPrompt(start.prompt)]);
    const group = groups.get(key) ?? [];
    groups.set(key, group);
    group.push(start);
  }
  return [...groups.values()].flatMap((group) =>
    group.slice(0, 1).map(({ agent, model, prompt }) => ({
      ...addStarts(group),
      agent,
      model,
      prompt: formatPrompt(prompt),
    })),
  );
}

/** `coder.implement.v2`, as workflows write it. */
function formatPrompt(prompt: AgentStart['prompt']): string | null {
  if (prompt === null) return null;
  return prompt.version === null ? prompt.id : `${prompt.id}.v${prompt.version}`;
}

/** Several tries to start an agent are one attempt at its step. */
function addStarts(starts: readonly AgentStart[]): Spent {
  const attempts = new Set(
    starts.filter(isAgentStart).map(({ step_id, attempt }) => JSON.stringify([step_id, attempt])),
  );
  return { ...starts.map(spentOf).reduce(addSpent, NOTHING_SPENT), attempts: attempts.size };
}

function spentOf({ usage: { input_tokens, output_tokens, cost_usd } }: AgentStart): Spent {
  return {
    attempts: 0,
    tokens: input_tokens === null || output_tokens === null ? null : input_tokens + output_tokens,
    costUsd: cost_usd,
  };
}
