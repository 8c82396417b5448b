import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    restoreMocks: true,
    // Much of the time goes into waiting for processes, so that even two cores have time for a third file.
    maxWorkers: Math.max(3, availableParallelism()),
  },
});
