import type { Usage } from '../contracts/run/agent-result.ts';
import type { RunEvent } from '../contracts/run/event.ts';
import type { AgentStart } from '../contracts/run/run-summary.ts';
import type { Stage } from '../kernel/state.ts';

/** What the log doesn't say about a start. */
export type AboutStart = Pick<AgentStart, 'model' | 'prompt'>;

/** Collects the starts of agents and planners; validators are runners, too, but cost nothing. */
export function foldAgentStarts(
  starts: AgentStart[],
  event: RunEvent,
  stage: Stage,
  aboutStart: (stepId: string, attempt: number) => AboutStart,
): void {
  const stepId = event.step_id ?? '';
  if (event.event_type === 'runner_started' && stage.kind === 'running') {
    const { opcode } = stage;
    if (opcode !== 'RUN_AGENT' && opcode !== 'EVALUATE') return;
    const { attempt, name, family, try: number = 1 } = event.payload;
    starts.push({
      step_id: stepId,
      opcode,
      attempt,
      try: number,
      agent: name,
      family,
      ...aboutStart(stepId, attempt),
      started_at: event.timestamp,
      termination: null,
      duration_ms: null,
      usage: usageOf(null),
    });
  }
  if (event.event_type === 'runner_completed') {
    const { attempt, try: number = 1, termination, duration_ms, usage } = event.payload;
    replaceStart(starts, { step_id: stepId, attempt, try: number }, (start) => ({
      ...start,
      termination,
      duration_ms,
      usage: usageOf(usage),
    }));
  }
  // Earlier versions recorded the usage only at the end of the step.
  if (event.event_type === 'step_completed' || event.event_type === 'step_failed') {
    const { attempt, usage } = event.payload;
    const own = starts.filter((start) => start.step_id === stepId && start.attempt === attempt);
    const [only] = own;
    if (usage !== null && own.length === 1 && only !== undefined && isUnknown(only))
      replaceStart(starts, only, (start) => ({ ...start, usage: usageOf(usage) }));
  }
}

function replaceStart(
  starts: AgentStart[],
  key: Pick<AgentStart, 'step_id' | 'attempt' | 'try'>,
  change: (start: AgentStart) => AgentStart,
): void {
  const at = starts.findLastIndex(
    (start) => start.step_id === key.step_id && start.attempt === key.attempt && start.try === key.try,
  );
  const found = starts[at];
  if (found !== undefined) starts[at] = change(found);
}

function usageOf(usage: Usage | null): AgentStart['usage'] {
  return {
    input_tokens: usage?.input_tokens ?? null,
    output_tokens: usage?.output_tokens ?? null,
    cost_usd: usage?.cost_usd ?? null,
  };
}

function isUnknown({ usage }: AgentStart): boolean {
  return usage.input_tokens === null && usage.output_tokens === null && usage.cost_usd === null;
}
