import type { JournalEntry } from '../../src/contracts/work/work-event.ts';
import { createWorkState, evolve } from '../../src/work/engine/evolve.ts';
import { findOpenBlockers } from '../../src/work/items/stack.ts';
import type { WorkState } from '../../src/work/items/state.ts';
import { STATUS_TABLE } from '../../src/work/items/status-table.ts';
import { scopesOverlap } from '../../src/work/scope/overlap.ts';

export function scopeOfLines(body: string): string[] {
  return body.split('\n').flatMap((line) => (line.startsWith('- ') ? [line.slice(2)] : []));
}

/** What holds after each entry of every journal, however it came about. Returns what does not. */
export function brokenLaws(entries: readonly JournalEntry[], jobs: number): string[] {
  const state = createWorkState();
  const broken: string[] = [];
  const onceByRun = new Set<string>();
  for (const entry of entries) {
    const tell = (law: string) => broken.push(`entry ${entry.seq}: ${law}`);
    const { event } = entry;
    if (event.type === 'status_changed') {
      if (STATUS_TABLE[event.from][event.to] === undefined) tell(`${event.from} -> ${event.to}`);
    }
    if (event.type === 'summary_kept' || event.type === 'revision_made' || event.type === 'review_posted') {
      const once = `${event.type} of ${event.run_id}`;
      if (onceByRun.has(once)) tell(`${once} is there twice`);
      onceByRun.add(once);
    }
    evolve(state, entry);
    for (const law of brokenNow(state, jobs)) tell(law);
    if (event.type === 'run_accepted' && event.item_id !== null) {
      const item = state.items.get(event.item_id)?.item;
      if (item === undefined || findOpenBlockers(state, item).length > 0)
        tell(`${event.item_id} started too early`);
      if (item?.type === 'refinement') tell(`${event.item_id} is a question`);
    }
  }
  for (const key of state.started.keys()) broken.push(`the command ${key} has no end`);
  return broken;
}

function brokenNow(state: WorkState, jobs: number): string[] {
  const runs = [...state.runs.values()].filter((run) => run.itemId !== null);
  const ids = runs.map((run) => run.itemId);
  const broken: string[] = [];
  if (new Set(ids).size < ids.length) broken.push(`two agents on one item: ${ids.join(', ')}`);
  if (runs.length > jobs) broken.push(`${runs.length} at work, ${jobs} allowed`);
  if (state.runs.size - runs.length > 1) broken.push('two planners');
  const bodies = runs
    .filter((run) => run.role === 'implementor')
    .map((run) => state.items.get(run.itemId ?? '')?.body ?? '');
  for (const [index, body] of bodies.entries())
    for (const other of bodies.slice(index + 1))
      if (scopesOverlap(scopeOfLines(body), scopeOfLines(other))) broken.push('two agents in one file');
  return broken;
}
