import * as fastCheck from 'fast-check';

export * from 'fast-check';

/** Enough to see most mutants. The suite itself runs them more often, and from another seed each time. */
const MOST_RUNS = 60;
const SEED = 42;

/** A law that holds is tried to the end for every mutant, which takes most of the time there is. */
export function assert<T>(property: fastCheck.IRawProperty<T>, parameters: fastCheck.Parameters<T> = {}) {
  const { numRuns = MOST_RUNS } = parameters;
  const runs = numRuns > 5 * MOST_RUNS ? MOST_RUNS : numRuns;
  return fastCheck.assert(property, { ...parameters, numRuns: runs, seed: SEED });
}
