import type { RunView } from '../../../runtime/record/run-view.ts';

/** The usage that agents and planners reported; null if no agent has run. */
export function usageText({ steps, state: { usage } }: Pick<RunView, 'steps' | 'state'>): string | null {
  if (!steps.some(({ opcode }) => opcode === 'RUN_AGENT')) return null;
  const { inputTokens, outputTokens, costUsd } = usage;
  const tokens =
    inputTokens === null && outputTokens === null
      ? 'tokens unknown'
      : `${countText(inputTokens)} tokens in, ${countText(outputTokens)} out`;
  return `${tokens}; cost ${costUsd === null ? 'unknown' : `${costUsd} USD`}`;
}

function countText(count: number | null): string {
  return count === null ? 'unknown' : String(count);
}
