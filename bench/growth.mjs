// How the time of checking and proving grows with the workflow. Processor time, so that waiting does not count, and
// beyond that of `--version`, which is what starting takes.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { measureCpu } from './measure.mjs';
import { createWorkflow, STEPS_PER_STAGE } from './workflow-file.mjs';

const GROWTH = [100, 1000, 10_000];

/** What a thousand steps may take, in starts: 150 ms where a start takes 70 ms. */
const MAX_STARTS_FOR_1000 = 2.15;

/** Ten times the steps may take ten times the time. */
const MAX_TIMES_FOR_10_000 = 10;

export function measureGrowth({ program, rounds, cwd, env }) {
  for (const steps of GROWTH) {
    writeFileSync(join(cwd, `growth-${steps}.yaml`), createWorkflow(steps / STEPS_PER_STAGE));
  }
  const commands = [
    { name: 'conductor --version', args: [program, '--version'] },
    ...GROWTH.map((steps) => ({
      name: `conductor validate --prove (${steps} steps)`,
      args: [program, 'validate', '--prove', `growth-${steps}.yaml`],
    })),
  ];
  const [start, ...times] = measureCpu(commands, { rounds, cwd, env });
  return { start, points: GROWTH.map((steps, index) => ({ steps, ms: times[index] - start })) };
}

/** Only ratios decide; the milliseconds are good to know. `slack` widens the limits where few rounds are measured. */
export function judgeGrowth({ start, points }, slack) {
  const [, thousand, tenThousand] = points.map(({ ms }) => ms);
  return [
    { name: '1000 steps, in starts', ratio: thousand / start, limit: MAX_STARTS_FOR_1000 * slack },
    {
      name: '10000 steps, in 1000 steps',
      ratio: tenThousand / thousand,
      limit: MAX_TIMES_FOR_10_000 * slack,
    },
  ].map((row) => ({ ...row, broken: row.ratio > row.limit }));
}

export function formatJudgement(rows) {
  return rows
    .map(({ name, ratio, limit, broken }) => {
      const verdict = broken ? 'BROKEN' : 'ok';
      return `${name}: ${ratio.toFixed(2)} (<= ${limit.toFixed(2)}) ${verdict}`;
    })
    .join('\n');
}
