/** What one level of a TAP document says about its tests. */
export interface PlanFacts {
  /** The counts of its plan lines. */
  readonly plans: readonly number[];
  /** The number of test points. */
  readonly run: number;
  /** The numbers of the points that have one. */
  readonly numbers: readonly number[];
}

/** Maximum number of test numbers in a message; a runner that repeats one often repeats all of them. */
const SHOWN = 10;

/** Why the results of a level don't match its plan; such a document may have lost results. */
export function planProblems({ plans, run, numbers }: PlanFacts): readonly string[] {
  const [planned] = plans;
  const repeated = findRepeated(numbers);
  if (planned === undefined)
    return run === 0 ? [] : [`the output ends after ${run} tests without a plan`, ...repeatProblem(repeated)];
  const outside = [...new Set(numbers.filter((number) => number < 1 || number > planned))];
  return [
    ...(plans.length > 1 ? ['the plan is given twice'] : []),
    ...(run === planned ? [] : [`${planned} tests were planned and ${run} have a result`]),
    ...repeatProblem(repeated),
    // If there are more results than planned, these numbers are expected.
    ...(outside.length === 0 || outside.length === run - planned
      ? []
      : [`${list(outside)} outside the plan 1..${planned}`]),
  ];
}

function findRepeated(numbers: readonly number[]): readonly number[] {
  const seen = new Set<number>();
  const repeated = new Set<number>();
  for (const number of numbers) {
    if (seen.has(number)) repeated.add(number);
    seen.add(number);
  }
  return [...repeated];
}

function repeatProblem(repeated: readonly number[]): readonly string[] {
  return repeated.length === 0 ? [] : [`${list(repeated)} reported more than once`];
}

function list(numbers: readonly number[]): string {
  const shown = numbers.slice(0, SHOWN).join(', ');
  const more = numbers.length > SHOWN ? ` and ${numbers.length - SHOWN} more` : '';
  return numbers.length === 1 ? `test ${shown} is` : `tests ${shown}${more} are`;
}
