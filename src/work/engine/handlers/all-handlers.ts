import type { WorkLimits } from '../../items/limits.ts';
import type { WorkState } from '../../items/state.ts';
import type { AskedCommand } from '../command.ts';
import { handleDependencies } from './dependencies.ts';
import type { HandledEvent, Handler } from './handler.ts';
import { handleImplementation } from './implementation.ts';
import { handleOrphans } from './orphans.ts';
import { handlePlanning } from './planning.ts';
import { handleReadiness } from './readiness.ts';
import { handleReview } from './review.ts';

const HANDLERS: readonly Handler[] = [
  handleOrphans,
  handleReadiness,
  handleDependencies,
  handleReview,
  handleImplementation,
  handlePlanning,
];

/** The commands that all handlers request after these events, without duplicates. */
export function askHandlers(
  events: readonly HandledEvent[],
  state: WorkState,
  limits: WorkLimits,
): readonly AskedCommand[] {
  const byKey = new Map<string, AskedCommand>();
  for (const event of events)
    for (const handler of HANDLERS)
      for (const asked of handler(event, state, limits))
        if (!state.doneKeys.has(asked.key)) byKey.set(asked.key, asked);
  return [...byKey.values()];
}
