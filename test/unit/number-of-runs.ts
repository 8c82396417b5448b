/** How many cases a property gets: so many with `npm test`, and `PROPERTY_TIMES` as many with `npm run properties`. */
export function numberOfRuns(short: number): number {
  return short * Number(process.env.PROPERTY_TIMES ?? 1);
}
