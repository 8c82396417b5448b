import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: { include: ['test/unit/planner/**/*.test.ts', 'test/unit/kernel/**/*.test.ts'] },
});
