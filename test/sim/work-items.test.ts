import { describe, expect, it } from 'vitest';
import { createRandom } from '../../src/simulation/crashtest.ts';
import { WORK_BOUNDARIES } from '../../testing/work-boundaries.ts';
import { IS_LONG } from './seeds.ts';
import { brokenLaws } from './work-laws.ts';
import { createWorkWorld, essenceOf, JOBS, liveThrough, type WorkWorld } from './work-world.ts';

const SEEDS = Array.from({ length: 40 }, (_, index) => index + 1);
const KILLED_SEEDS = IS_LONG ? [13, 26, 39] : [13];

async function expectAgreement(world: WorkWorld, state: Awaited<ReturnType<typeof liveThrough>>) {
  expect(brokenLaws(world.journal.entries, JOBS)).toEqual([]);
  const { items } = await world.provider.read();
  expect(items.map(({ item }) => item)).toEqual([...state.items.values()].map(({ item }) => item));
}

describe('a simulated project', () => {
  it.each(SEEDS)('gets to its end and keeps every law with seed %i', async (seed) => {
    const world = createWorkWorld(seed);
    const state = await liveThrough(world);
    await expectAgreement(world, state);
    const open = [...state.items.values()].filter(({ item }) =>
      ['in-progress', 'review', 'ready'].includes(item.status),
    );
    expect(open).toEqual([]);
  });

  it.each(KILLED_SEEDS)(
    'ends the same wherever its process is killed, with seed %i',
    async (seed) => {
      const names = new Set<string>();
      const plain = createWorkWorld(seed);
      const expected = essenceOf(await liveThrough(plain, (_, name) => names.add(name).size === 0));
      // A user cancels in the middle of a run: its boundaries have a test of their own.
      const reached = WORK_BOUNDARIES.filter((name) => !name.endsWith('cancel'));
      expect([...names].toSorted()).toEqual([...reached].toSorted());
      for (let at = 1; at <= plain.passed(); at += 1) {
        const world = createWorkWorld(seed);
        const state = await liveThrough(world, (point) => point === at);
        expect(essenceOf(state), `killed at boundary ${at}`).toEqual(expected);
        await expectAgreement(world, state);
      }
    },
    // Hundreds of lives, on a machine that may be busy.
    180_000,
  );

  it.each(SEEDS.slice(0, 20))(
    'ends the same when it is killed again and again, with seed %i',
    async (seed) => {
      const expected = essenceOf(await liveThrough(createWorkWorld(seed)));
      const random = createRandom(`kills ${seed}`);
      let lives = 0;
      const world = createWorkWorld(seed);
      const state = await liveThrough(world, () => {
        const dies = lives < 30 && random.chance(0.08);
        lives += dies ? 1 : 0;
        return dies;
      });
      expect(lives).toBeGreaterThan(0);
      expect(essenceOf(state)).toEqual(expected);
      await expectAgreement(world, state);
    },
  );

  it.each(SEEDS.slice(0, 20))(
    'keeps every law while two engines work side by side, with seed %i',
    async (seed) => {
      const world = createWorkWorld(seed);
      const signal = new AbortController().signal;
      const engines = [world.startProcess(() => false), world.startProcess(() => false)];
      await Promise.all(engines.map(({ engine }) => engine.runUntilIdle(signal)));
      const state = await liveThrough(world);
      await expectAgreement(world, state);
      expect([state.runs.size, state.started.size]).toEqual([0, 0]);
    },
  );
});
