import { expect } from 'vitest';
import { type Happening, trySeed } from './try-seed.ts';

/** `SEED=… npm run sim` repeats one run; `SIM_RUNS`, which it sets, says how many there are otherwise. */
const ONLY = process.env.SEED === undefined ? null : Number(process.env.SEED);
const RUNS = Number(process.env.SIM_RUNS ?? 120);

/** `npm run sim` runs all of what is long here, the tests a part. */
export const IS_LONG = process.env.SIM_RUNS !== undefined;

export const SIM_TIMEOUT_MS = 1_800_000;

/** Two files share the seeds, so that two cores do. */
export async function trySeeds(remainder: 0 | 1): Promise<ReadonlyMap<Happening, number>> {
  const seeds = ONLY === null ? Array.from({ length: RUNS }, (_, index) => index + 1) : [ONLY];
  const counts = new Map<Happening, number>();
  for (const seed of seeds) {
    if (seed % 2 !== remainder) continue;
    const { problems, happened } = await trySeed(seed);
    expect(problems, `SEED=${seed} npm run sim repeats this`).toEqual([]);
    for (const name of happened) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

/** Each of them in some runs at least: where nothing goes wrong, nothing is proved. */
const MUST_HAPPEN: readonly Happening[] = [
  'a process died',
  'a step was entered again',
  'the disk was full',
  'a read failed',
  'a gate timed out',
  'files were rolled back',
  'a preparation was interrupted',
  'a preparation failed',
  'a branch was left alone',
  'the ends were compared',
];

export function expectTrouble(counts: ReadonlyMap<Happening, number>): void {
  if (ONLY !== null || RUNS < 100) return;
  expect(MUST_HAPPEN.filter((name) => !counts.has(name))).toEqual([]);
  expect(counts.get('the ends were compared') ?? 0).toBeGreaterThan(RUNS / 5);
}
