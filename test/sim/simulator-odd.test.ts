import { describe, expect, it } from 'vitest';
import { expectTrouble, SIM_TIMEOUT_MS, trySeeds } from './seeds.ts';

describe('a run on the real runtime, whatever goes wrong around it', () => {
  it(
    'keeps every law, and ends the same where possible, for every odd seed',
    async () => {
      const counts = await trySeeds(1);
      expect(() => expectTrouble(counts)).not.toThrow();
    },
    SIM_TIMEOUT_MS,
  );
});
