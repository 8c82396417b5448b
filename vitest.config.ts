import { defineConfig } from 'vitest/config';
import { PROJECTS } from './test/projects.ts';

export default defineConfig({
  test: {
    // On a busy machine the longest take minutes; these are for what hangs.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    restoreMocks: true,
    // Most of the time goes into waiting for processes, so a machine with two cores can do two files at once.
    maxWorkers: '100%',
    projects: PROJECTS.map(({ name, include, exclude }) => ({
      extends: true as const,
      // Pure files keep no state, so they can share a worker and the modules that it has loaded.
      test: { name, include: [...include], exclude: [...exclude], isolate: name !== 'pure' },
    })),
  },
});
