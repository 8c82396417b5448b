import { createRulePlanner } from '../adapters/planner/rule-planner.ts';
import { didYouMean } from '../diagnostics/did-you-mean.ts';
import type { Planner } from '../ports/planner.ts';
import type { Opened } from '../runtime/services.ts';

/** A planner to ask without a run. */
export function openPlanner(name: string): Opened<Planner> {
  if (name === 'rules') return { ok: true, value: createRulePlanner() };
  const near = didYouMean(name, ['rules']);
  const help = near === null ? 'it is rules, or model:NAME' : `did you mean ${near}?`;
  return { ok: false, document: null, obstacle: { message: `there is no planner "${name}"`, help } };
}
