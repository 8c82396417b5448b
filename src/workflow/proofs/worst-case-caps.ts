import { describeDuration, describeUsd } from './proof-words.ts';
import type { WorstCase } from './worst-case.ts';

/** What a worst case may be; null where nothing was asked. */
export interface WorstCaseCaps {
  readonly agentRuns: number | null;
  readonly wallMs: number | null;
  readonly costUsd: number | null;
}

export interface Excess {
  readonly what: 'agent_runs' | 'wall_ms' | 'cost_usd';
  readonly cap: number;
  /** Null is unbounded, which is above every cap. */
  readonly worstCase: number | null;
  readonly message: string;
}

export function findExcesses(worst: WorstCase, caps: WorstCaseCaps): readonly Excess[] {
  const gates = worst.openGates.map((id) => `\`${id}\``).join(', ');
  return [
    excess('agent_runs', 'agent runs', worst.agentRuns, caps.agentRuns, String, ''),
    excess(
      'wall_ms',
      'the wall clock',
      worst.wallMs,
      caps.wallMs,
      describeDuration,
      `: nothing ends the wait at ${gates}`,
    ),
    excess('cost_usd', 'the cost', worst.costUsd, caps.costUsd, describeUsd, ': no budget bounds it'),
  ].filter((found) => found !== null);
}

function excess(
  what: Excess['what'],
  name: string,
  worstCase: number | null,
  cap: number | null,
  describe: (value: number) => string,
  why: string,
): Excess | null {
  if (cap === null || (worstCase !== null && worstCase <= cap)) return null;
  const message =
    worstCase === null
      ? `${name} is unbounded, above the ${describe(cap)} allowed${why}`
      : `${name} can come to ${describe(worstCase)}, ${describe(worstCase - cap)} above the ${describe(cap)} allowed`;
  return { what, cap, worstCase, message };
}
