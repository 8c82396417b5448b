import { describeDuration, describeUsd } from './proof-text.ts';
import type { WorstCase } from './worst-case.ts';

/** Caps on the worst case; null for no cap. */
export interface WorstCaseCaps {
  readonly agentRuns: number | null;
  readonly wallMs: number | null;
  readonly costUsd: number | null;
}

export interface Excess {
  readonly what: 'agent_runs' | 'wall_ms' | 'cost_usd';
  readonly cap: number;
  /** Null means unbounded, which exceeds every cap. */
  readonly worstCase: number | null;
  readonly message: string;
}

export function findExcesses(worst: WorstCase, caps: WorstCaseCaps): readonly Excess[] {
  const gates = worst.openGates.map((id) => `\`${id}\``).join(', ');
  return [
    checkCap('agent_runs', 'agent runs', worst.agentRuns, caps.agentRuns, String, ''),
    checkCap(
      'wall_ms',
      'the wall clock',
      worst.wallMs,
      caps.wallMs,
      describeDuration,
      `: no timeout at ${gates}`,
    ),
    checkCap('cost_usd', 'the cost', worst.costUsd, caps.costUsd, describeUsd, ': no budget limits it'),
  ].filter((found) => found !== null);
}

function checkCap(
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
      : `${name} can reach ${describe(worstCase)}, ${describe(worstCase - cap)} above the ${describe(cap)} allowed`;
  return { what, cap, worstCase, message };
}
