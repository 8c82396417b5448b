import type { Planner } from '../../ports/planner.ts';
import type { PromptCatalog } from '../../ports/prompts.ts';
import { createAskedPlanner } from './asked-planner.ts';

/** Stands for a planner that is configured and can't be had. The rules hold the floor; they do not take its place. */
export function createAbsentPlanner(
  name: string,
  family: 'model' | 'agent',
  why: string,
  prompts: PromptCatalog,
): Planner {
  return createAskedPlanner({
    name,
    family,
    prompts,
    secrets: [],
    unavailable: () => Promise.resolve(why),
    ask: () =>
      Promise.resolve({
        said: { kind: 'nothing', code: 'planner_unavailable', summary: `the planner ${name}: ${why}` },
        usage: null,
        attempts: 0,
      }),
  });
}
