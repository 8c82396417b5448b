import type { Planner } from '../../ports/planner.ts';
import type { PromptCatalog } from '../../ports/prompts.ts';
import { createPromptedPlanner } from './prompted-planner.ts';

/**
 * Stands in for a planner that is configured but not available. Each evaluation is then blocked or worse: the
 * rules set the lower bound, but they don't replace the planner.
 */
export function createUnavailablePlanner(
  name: string,
  family: 'model' | 'agent',
  reason: string,
  prompts: PromptCatalog,
): Planner {
  return createPromptedPlanner({
    name,
    family,
    prompts,
    secrets: [],
    unavailable: () => Promise.resolve(reason),
    ask: () =>
      Promise.resolve({
        reply: {
          kind: 'no_proposal',
          code: 'planner_unavailable',
          summary: `the planner ${name}: ${reason}`,
        },
        usage: null,
        attempts: 0,
      }),
  });
}
