import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // On a busy machine the longest take minutes; these are for what hangs.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    restoreMocks: true,
    // Most of the time goes into waiting for processes, so a machine with two cores can do two files at once.
    maxWorkers: '100%',
  },
});
