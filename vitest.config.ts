import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    restoreMocks: true,
    // Most of the time goes into waiting for processes, so a machine with two cores can do two files at once.
    maxWorkers: '100%',
  },
});
