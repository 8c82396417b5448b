import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    restoreMocks: true,
    // Most of the time goes into waiting for processes, so a machine with two cores can do two files at once.
    maxWorkers: '100%',
  },
});
