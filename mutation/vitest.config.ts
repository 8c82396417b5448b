import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const folder = process.env.MUTATION_FOLDER ?? '{planner,kernel}';
const SHORT = fileURLToPath(new URL('short-properties.ts', import.meta.url));

/** Files of laws, which take seconds where a table takes milliseconds. */
const SLOW = /\/(?:laws|replay|replay-against)\.test\.ts$/;

/** The first failure ends the tests of a mutant: what is quick goes first. */
class QuickFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const slow = ({ moduleId }: TestSpecification) => Number(SLOW.test(moduleId));
    return files.toSorted((a, b) => slow(a) - slow(b) || a.moduleId.localeCompare(b.moduleId));
  }
}

const shortProperties = {
  name: 'short-properties',
  enforce: 'pre' as const,
  resolveId: (id: string, importer?: string) => (id === 'fast-check' && importer !== SHORT ? SHORT : null),
};

export default defineConfig({
  plugins: [shortProperties],
  test: {
    include: [`test/unit/${folder}/**/*.test.ts`],
    sequence: { sequencer: QuickFirst },
    // A busy machine must not pass for a mutant that was noticed.
    testTimeout: 60_000,
    // The mutated files keep no state between tests, and loading them anew for each file takes most of the time.
    isolate: false,
  },
});
