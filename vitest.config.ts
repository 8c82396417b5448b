import { defineConfig } from 'vitest/config';

/** What starts no process and keeps nothing: its files can share a worker, and need not load everything anew. */
const PURE = [
  'test/unit/**/*.test.ts',
  'test/golden/**/*.test.ts',
  'test/pins/**/*.test.ts',
  'test/tidy/**/*.test.ts',
];
const ALL = ['test/**/*.test.ts'];

export default defineConfig({
  test: {
    // On a busy machine the longest take minutes; these are for what hangs.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    restoreMocks: true,
    // Most of the time goes into waiting for processes, so a machine with two cores can do two files at once.
    maxWorkers: '100%',
    projects: [
      { extends: true, test: { name: 'pure', include: PURE, isolate: false } },
      { extends: true, test: { name: 'real', include: ALL, exclude: ['**/node_modules/**', ...PURE] } },
    ],
  },
});
