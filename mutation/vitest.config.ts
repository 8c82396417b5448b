import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const folder = process.env.MUTATION_FOLDER ?? '{planner,kernel}';

/** Files of properties, which take seconds where a table takes milliseconds. */
const SLOW = /\/(?:laws|replay|replay-against)\.test\.ts$/;

/** The first failure ends the tests of a mutant: what is quick goes first. */
class QuickFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const slow = ({ moduleId }: TestSpecification) => Number(SLOW.test(moduleId));
    return files.toSorted((a, b) => slow(a) - slow(b) || a.moduleId.localeCompare(b.moduleId));
  }
}

export default defineConfig({
  test: {
    include: [`test/unit/${folder}/**/*.test.ts`],
    setupFiles: ['mutation/seeded-properties.ts'],
    sequence: { sequencer: QuickFirst },
    // The mutated files keep no state between tests, and loading them anew for each file takes most of the time.
    isolate: false,
  },
});
