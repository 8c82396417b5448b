// How the time of checking and proving grows with the workflow. Processor time, so that waiting does not count, and
// beyond that of `--version`, which is what starting takes.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { measureCpu } from './measure.mjs';
import { createWorkflow, STEPS_PER_STAGE } from './workflow-file.mjs';

const GROWTH = [100, 1000, 4000];

/** Four times the steps may take four times the time. */
const MAX_TIMES_FOR_4000 = 4;

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
export function checkGrowth({ points }, slack) {
  const [, thousand, fourThousand] = points.map(({ ms }) => ms);
  const ratio = fourThousand / thousand;
  const limit = MAX_TIMES_FOR_4000 * slack;
  return [{ name: '4000 steps, in 1000 steps', ratio, limit, broken: ratio > limit }];
}

export function formatGrowthRows(rows) {
  return rows
    .map(({ name, ratio, limit, broken }) => {
      const verdict = broken ? 'BROKEN' : 'ok';
      return `${name}: ${ratio.toFixed(2)} (<= ${limit.toFixed(2)}) ${verdict}`;
    })
    .join('\n');
}
