import type { FlakyView, StepView } from '../../runtime/run-view.ts';

/** `2 flaky: tests, cases of smoke`, or null where everything that passed did so at once. */
export function flakyText(flaky: readonly FlakyView[]): string | null {
  if (flaky.length === 0) return null;
  const names = new Set(flaky.map(({ id, itself }) => (itself ? id : `cases of ${id}`)));
  return `${countOf(flaky)} flaky: ${[...names].join(', ')}`;
}

/** One line for each, with what is known about it. */
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

/** A validator counts once for itself, and once for each of its cases where it did not fail as a whole. */
function countOf(flaky: readonly FlakyView[]): number {
  return flaky.reduce((sum, { itself, cases }) => sum + (itself ? 1 : cases), 0);
}
