// Only ratios decide: they say the same on a slow machine and on a fast one.

/** A row for each command. The first one is what the others are compared with. */
export function compareWithLimits(commands, medians) {
  const [base] = medians;
  return commands.map(({ name, limit }, index) => {
    const ratio = medians[index] / base;
    return { name, ms: medians[index], ratio, limit, broken: limit !== null && ratio > limit };
  });
}

const TRIES = 3;

/** Rows that hold, or those of the last try: a moment in which the machine was busy is no verdict. */
export async function firstThatHolds(attempt) {
  let rows = await attempt();
  for (let tries = 1; tries < TRIES && rows.some(({ broken }) => broken); tries += 1) rows = await attempt();
  return rows;
}

export function formatTable(rows) {
  const cells = rows.map(({ name, ms, ratio, limit, broken }) => [
    name,
    ms.toFixed(1),
    ratio.toFixed(2),
    limit === null ? '' : `<= ${Number(limit.toFixed(2))}`,
    limit === null ? '' : broken ? 'BROKEN' : 'ok',
  ]);
  return align([['command', 'median ms', 'ratio', 'limit', ''], ...cells]);
}

/** Columns under each other: the first one to the left, the others to the right. */
export function align(table) {
  const widths = table[0].map((_, column) => Math.max(...table.map((row) => row[column].length)));
  return table
    .map((row) =>
      row
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[column]) : cell.padStart(widths[column])))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** One line, for what is good to know and decides nothing. */
export function formatRatios(rows) {
  return rows
    .slice(1)
    .map(({ name, ratio }) => `${name} ${ratio.toFixed(2)}`)
    .join(', ');
}

/** The curve on one line: what so many steps take. */
export function formatGrowth(points) {
  return points.map(({ steps, ms }) => `${steps} steps ${ms.toFixed(0)} ms`).join(', ');
}
