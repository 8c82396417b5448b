import { describe, expect, it } from 'vitest';
import { ROLES } from '../../../../src/contracts/work/work-results.ts';
import { createRandom } from '../../../../src/simulation/crashtest.ts';
import type { EngineEffect, SessionRequest } from '../../../../src/work/engine/protocol.ts';
import { numberOfRuns } from '../../number-of-runs.ts';
import { created, inReview, spec } from '../fixtures.ts';
import { createEngineWorld, SLOTS } from './engine-world.ts';

const SEEDS = Array.from({ length: numberOfRuns(40) }, (_, index) => index + 1);
const STEPS = 20_000;

const session = (until: SessionRequest['until']): SessionRequest => ({
  until,
  roles: new Set(ROLES),
  items: null,
  runsChecks: true,
});

function createWorld(seed: number) {
  const random = createRandom(seed);
  const world = createEngineWorld(
    random,
    created({ id: '1' }),
    created({ id: '2', blockedBy: ['1'] }),
    created({ id: '3' }, ['src/1.ts']),
    created({ id: '4', priority: 'high' }),
    created({ id: '5' }),
    ...inReview('6', 'pending'),
    { type: 'specs_seen', specs: [spec('a.md', 'v1')] },
  );
  return { ...world, random };
}

/** A run that was waiting and works again may exceed the limit; then no further one starts. */
function brokenLaws(world: ReturnType<typeof createWorld>, effects: readonly EngineEffect[]): string[] {
  const { jobs, waitingRuns } = world.engine();
  const items = [...jobs.values()].flatMap(({ requested, runId }) =>
    'itemId' in requested.command ? [{ id: requested.command.itemId, runId }] : [],
  );
  const runs = [...world.work.runs.values()].filter(({ itemId }) => itemId !== null);
  const others = runs.filter(({ runId }) => items.every((job) => job.runId !== runId));
  const busy = [...items.map(({ id }) => id), ...others.map(({ itemId }) => itemId)];
  const working = busy.length - runs.filter(({ runId }) => waitingRuns.has(runId)).length;
  return [
    ...(new Set(busy).size < busy.length ? [`two runs of one item: ${busy.join(', ')}`] : []),
    ...(working > SLOTS && effects.some(({ kind }) => kind === 'start_role')
      ? [`${working} at work, ${SLOTS} allowed`]
      : []),
  ];
}

const starts = ({ kind }: EngineEffect) =>
  ['start_role', 'resume_run', 'run_checks', 'record_external_changes'].includes(kind);

describe('decide, with effects answered at random', () => {
  it.each(SEEDS)('never starts an item twice or too many at once, and gets idle, with seed %i', (seed) => {
    const world = createWorld(seed);
    world.feed({ kind: 'session_requested', session: session('idle') });
    let steps = 0;
    while (world.engine().session !== null && steps < STEPS) {
      const before = world.emitted.length;
      expect(world.step(), 'an effect is pending while a session is').toBe(true);
      expect(brokenLaws(world, world.emitted.slice(before))).toEqual([]);
      steps += 1;
    }
    expect(world.emitted.at(-1)).toMatchObject({ kind: 'end_session', end: { kind: 'idle' } });
    expect(world.engine().jobs.size).toBe(0);
  });

  it.each(SEEDS)('starts nothing after a stop, and ends when its tasks have ended, with seed %i', (seed) => {
    const world = createWorld(seed);
    world.feed({ kind: 'session_requested', session: session('stopped') });
    for (let left = world.random.below(200); left > 0; left -= 1) world.step();
    const before = world.emitted.length;
    world.feed({ kind: 'stop_requested' });
    while (world.engine().session !== null) expect(world.step()).toBe(true);
    const after = world.emitted.slice(before);
    expect(after.filter(starts)).toEqual([]);
    expect(after.filter(({ kind }) => kind === 'end_session')).toHaveLength(1);
    expect([world.engine().jobs.size, world.engine().resuming.size]).toEqual([0, 0]);
  });
});
