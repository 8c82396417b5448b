import type { FlakyView, StepView } from '../../../runtime/record/run-view.ts';

/** `2 flaky: tests, cases of smoke`, or null if nothing is flaky. */
export function flakyText(flaky: readonly FlakyView[]): string | null {
  if (flaky.length === 0) return null;
  const names = new Set(flaky.map(({ id, itself }) => (itself ? id : `cases of ${id}`)));
  return `${countFlaky(flaky)} flaky: ${[...names].join(', ')}`;
}

/** One line per flaky validator, with its tries and the number of its flaky cases. */
export function flakyLines(steps: readonly StepView[]): string[] {
  return steps.flatMap(({ stepId, flaky }) =>
    flaky.map(({ id, itself, tries, cases }) => {
      const parts = [
        ...(itself ? [`passed on try ${tries} only`] : []),
        ...(cases === 0 ? [] : [`${cases} flaky ${cases === 1 ? 'case' : 'cases'}`]),
      ];
      return `${stepId}: ${id} ${itself ? '' : 'has '}${parts.join(', ')}`;
    }),
  );
}

/** Counts a flaky validator once; if only cases of it were flaky, counts each of these cases. */
function countFlaky(flaky: readonly FlakyView[]): number {
  return flaky.reduce((sum, { itself, cases }) => sum + (itself ? 1 : cases), 0);
}
