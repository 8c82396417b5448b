import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BUILT_FILES, builtModules } from './test/built-modules.ts';
import { PROJECTS } from './test/projects.ts';

export default defineConfig({
  test: {
    // On a busy machine the longest take minutes; these are for what hangs.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    restoreMocks: true,
    // Files wait for processes a part of their time, so one more of them than there are cores keeps the cores busy.
    maxWorkers: availableParallelism() + 1,
    projects: PROJECTS.map(({ name, include, exclude }) => ({
      extends: true as const,
      plugins: name === 'pure' || name === 'mocked' ? [] : [builtModules()],
      // Short files share a worker and the modules that it has loaded. Long ones have a worker of their own: a small process
      // starts others faster.
      test: {
        name,
        include: [...include],
        exclude: [...exclude],
        isolate: name === 'slow' || name === 'mocked' || name === 'agents',
        server: { deps: { external: BUILT_FILES } },
      },
    })),
  },
});
