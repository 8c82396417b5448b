import type { RunEvent } from '../contracts/run/event.ts';
import { GATE_EVENTS } from '../contracts/vocabulary.ts';
import { viewRun } from '../runtime/record/run-view.ts';
import { eventsOf, type SimWorld } from './sim-world.ts';

/**
 * The properties that must be the same at the end of a run, however often it was interrupted. Recovery
 * attempts don't count.
 */
export interface RunEssence {
  readonly end: string;
  readonly route: readonly string[];
  readonly visits: Readonly<Record<string, number>>;
  readonly refinements: Readonly<Record<string, number>>;
  /** One for each visit of a gate. */
  readonly answers: readonly string[];
  /** The files of the checkout; after its removal, those of the branch. */
  readonly files: Readonly<Record<string, string>>;
  readonly branch: Readonly<Record<string, string>>;
  /** The usage without the attempts that died after they had reported it. */
  readonly usage: string;
}

export function essenceOf(world: SimWorld): RunEssence {
  const events = eventsOf(world);
  const view = viewRun(events);
  if (view === null) throw new Error('the run never started');
  const { end, routes, state, headSha } = view;
  const branch = headSha === null ? new Map() : world.repo.treeById(world.repo.treeOf(headSha));
  return {
    end: end === null ? 'no end' : `${end.lifecycle} ${end.outcome} ${end.termination}`,
    route: routes.map(({ from, key, to }) => `${from} ${key} -> ${to}`),
    visits: state.visits,
    refinements: state.refinements,
    answers: listAnswers(events),
    files: Object.fromEntries(world.repo.checkout ?? branch),
    branch: Object.fromEntries(branch),
    usage: JSON.stringify(sumKeptUsage(events, state.usage)),
  };
}

function listAnswers(events: readonly RunEvent[]): readonly string[] {
  const answers: readonly string[] = GATE_EVENTS;
  return events
    .filter(({ event_type }) => answers.includes(event_type))
    .map(({ step_id, event_type }) => `${step_id} ${event_type}`);
}

/** Usage of an interrupted attempt counts in the run, so it is subtracted to compare the results. */
function sumKeptUsage(
  events: readonly RunEvent[],
  total: { readonly inputTokens: number | null; readonly outputTokens: number | null },
) {
  let input = total.inputTokens ?? 0;
  let output = total.outputTokens ?? 0;
  for (const event of events) {
    if (event.event_type !== 'runner_completed' || isKept(events, event)) continue;
    input -= event.payload.usage?.input_tokens ?? 0;
    output -= event.payload.usage?.output_tokens ?? 0;
  }
  return { input, output };
}

/** Whether the attempt of a runner has ended regularly. */
function isKept(
  events: readonly RunEvent[],
  runner: Extract<RunEvent, { event_type: 'runner_completed' }>,
): boolean {
  return events.some(
    (event) =>
      (event.event_type === 'step_completed' || event.event_type === 'step_failed') &&
      event.step_id === runner.step_id &&
      event.payload.attempt === runner.payload.attempt,
  );
}

export interface Difference {
  readonly what: string;
  readonly expected: string;
  readonly found: string;
}

/** The first difference, most important property first. */
export function findDifference(expected: RunEssence, found: RunEssence): Difference | null {
  for (const what of Object.keys(expected) as (keyof RunEssence)[]) {
    const [wanted, got] = [textOf(expected[what]), textOf(found[what])];
    if (wanted !== got) return { what, expected: wanted, found: got };
  }
  return null;
}

function textOf(value: RunEssence[keyof RunEssence]): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.join(', ');
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return entries.length === 0 ? 'none' : entries.map(([key, held]) => `${key}: ${held}`).join(', ');
}
