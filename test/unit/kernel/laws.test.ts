import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type EventDraft, runEventSchema } from '../../../src/contracts/run/event.ts';
import { MAX_RECOVERIES } from '../../../src/kernel/decide.ts';
import { numberOfRuns } from '../number-of-runs.ts';
import { type RandomRun, randomRun, scriptOf, whole } from './random-runs.ts';
import { crash, eventsOf, finalState, fold, goOn, type Played, resume } from './scripted-run.ts';

const RUNS = { numRuns: numberOfRuns(200) };
/** A cut at every event means many runs for one plan. */
const CUT_EVERYWHERE = { numRuns: numberOfRuns(60) };

/** Where the process dies; few enough that no step is abandoned. */
const CUTS = fc.array(fc.nat(), { maxLength: MAX_RECOVERIES });

function interrupted(random: RandomRun, cuts: readonly number[]): Played {
  let run = whole(random);
  for (const cut of cuts) run = goOn(resume(crash(run, 1 + (cut % run.events.length))), scriptOf(random));
  return run;
}

function law(check: (run: Played, random: RandomRun) => void): void {
  fc.assert(
    fc.property(randomRun(), CUTS, (random, cuts) => {
      check(interrupted(random, cuts), random);
    }),
    RUNS,
  );
}

describe('in every run of every plan, interrupted or not', () => {
  it('folding the events gives the state that decide gave', () => {
    law((run) => expect(fold(run.events)).toEqual(run.state));
  });

  it('the run ends, and its last event says so', () => {
    law((run) => {
      expect(run.state.stage.kind).toBe('ended');
      expect(run.events.at(-1)?.event_type).toBe('run_completed');
      expect(eventsOf(run, 'run_completed')).toHaveLength(1);
    });
  });

  it('no input moves a run that has ended', () => {
    law((run) => {
      expect(resume(run).events).toEqual(run.events);
      expect(crash(run).state.stage.kind).toBe('ended');
    });
  });

  it('every event fits the schema of the log', () => {
    law((run) => {
      for (const [seq, event] of run.events.entries()) {
        const line = {
          seq,
          timestamp: '2026-01-01T00:00:00.000Z',
          run_id: 'r',
          prev: '0'.repeat(64),
          ...event,
        };
        expect(runEventSchema.safeParse(line).error?.issues ?? []).toEqual([]);
      }
    });
  });

  it('every route taken is in the plan, and the step it leads to is the next to start', () => {
    law((run, { plan }) => {
      for (const [index, event] of run.events.entries()) {
        if (event.event_type !== 'route_selected') continue;
        const from = plan.steps.find((step) => step.id === event.step_id);
        const routes = Object.entries(from !== undefined && 'routes' in from ? from.routes : {});
        expect(routes).toContainEqual([event.payload.key, event.payload.to]);
        const next = run.events.slice(index + 1).find((later) => later.event_type === 'step_started');
        if (next !== undefined) expect(next.step_id).toBe(event.payload.to);
      }
    });
  });

  it('a run of version 2 is prepared before its first step, one of version 1 is not', () => {
    law((run, { beginning }) => {
      const first = run.events.findIndex((event) => event.event_type === 'step_started');
      const prepared = run.events.findIndex((event) => event.event_type === 'baseline_recorded');
      if (beginning.schemaVersion === 1) expect(prepared).toBe(-1);
      else if (first !== -1) expect(prepared).toBeLessThan(first);
      if (beginning.preparationFailure !== undefined) {
        expect(first).toBe(-1);
        expect(finalState(run)).toBe('failed error error');
      }
    });
  });

  it('no step is entered more often than max_visits, and each entry has a number of its own', () => {
    law((run, { plan }) => {
      for (const step of plan.steps) {
        const entries = eventsOf(run, 'step_started')
          .filter((event) => event.step_id === step.id)
          .map(({ payload }) => payload);
        expect(entries.filter(({ recovery }) => !recovery).length).toBeLessThanOrEqual(step.maxVisits);
        expect(entries.map(({ attempt }) => attempt)).toEqual(entries.map((_, index) => index + 1));
      }
    });
  });

  it('no evaluation refines more often than its cap', () => {
    law((run, { plan }) => {
      for (const step of plan.steps) {
        if (step.opcode !== 'EVALUATE' || step.revision === null) continue;
        const spent = eventsOf(run, 'route_selected').filter(
          ({ step_id, payload }) => step_id === step.id && payload.key === 'partial',
        );
        expect(spent.length).toBeLessThanOrEqual(step.revision.maxAttempts);
      }
    });
  });

  it('no run succeeds while proposed goldens are not reviewed', () => {
    law((run) => {
      if (eventsOf(run, 'run_completed')[0]?.payload.lifecycle_state !== 'completed') return;
      expect([...pendingGoldens(run.events)]).toEqual([]);
    });
  });

  it('no run succeeds with a violation that was not evaluated', () => {
    law((run) => {
      if (eventsOf(run, 'run_completed')[0]?.payload.lifecycle_state !== 'completed') return;
      const evaluatedAt = run.events.findLastIndex((event) => event.event_type === 'decision_recorded');
      const unevaluated = run.events.slice(evaluatedAt + 1);
      expect(unevaluated.filter((event) => event.event_type === 'policy_violation')).toEqual([]);
    });
  });

  it('no run is called a success whose files never passed a validation as they are', () => {
    law((run) => {
      if (eventsOf(run, 'run_completed')[0]?.payload.outcome !== 'success') return;
      const { tree, verified } = filesOf(run.events);
      expect([...verified]).toContain(tree);
    });
  });
});

describe('when the process is killed', () => {
  it('after any event, the resumed run ends as it would have', () => {
    fc.assert(
      fc.property(randomRun(), (random) => {
        const run = whole(random);
        for (let keep = 1; keep <= run.events.length; keep++) {
          const again = goOn(resume(crash(run, keep)), scriptOf(random));
          expect({ keep, ...essence(again) }).toEqual({ keep, ...essence(run) });
        }
      }),
      CUT_EVERYWHERE,
    );
  });

  it('resumed several times, the run still ends as it would have', () => {
    law((run, random) => expect(essence(run)).toEqual(essence(whole(random))));
  });
});

function essence(run: Played) {
  const { visits, refinements, path, pendingGoldens: pending, unverified, usage, usageByStep } = run.state;
  return { end: finalState(run), visits, refinements, path, pending, unverified, usage, usageByStep };
}

/** Validators whose latest report proposes something that no approval came after. */
function pendingGoldens(events: readonly EventDraft[]): ReadonlySet<string> {
  const pending = new Set<string>();
  for (const event of events) {
    if (event.event_type === 'gate_approved') pending.clear();
    if (event.event_type !== 'step_completed' && event.event_type !== 'step_failed') continue;
    for (const { key, proposals } of event.payload.validators) {
      if (proposals === 0) pending.delete(key);
      if (proposals !== null && proposals > 0) pending.add(key);
    }
  }
  return pending;
}

/** Every change makes a tree that never was before, so a tree is verified when a validation passed on it. */
function filesOf(events: readonly EventDraft[]) {
  const verified = new Set(['base']);
  let tree = 'base';
  let opcode: string | null = null;
  for (const event of events) {
    if (event.event_type === 'step_started') opcode = event.payload.opcode;
    if (event.event_type === 'rollback_completed') tree = event.payload.tree_after;
    if (event.event_type !== 'step_completed' && event.event_type !== 'step_failed') continue;
    const before = tree;
    tree = event.payload.tree ?? tree;
    if (event.payload.outcome !== 'completed') continue;
    // Goldens that an approval accepted leave verified files verified, and no others.
    if (opcode === 'RUN_VALIDATION' || (opcode === 'GATE' && verified.has(before))) verified.add(tree);
  }
  return { tree, verified };
}
