import type { RunEvent } from '../../src/contracts/run/event.ts';
import { essenceOf, findDifference } from '../../src/simulation/run-essence.ts';
import { createSimWorld, eventsOf, type SimWorld } from '../../src/simulation/sim-world.ts';
import { type SimResult, type Simulation, sendRival, simulate } from '../../src/simulation/simulate.ts';
import { createFaults } from '../../testing/faults.ts';
import { brokenLaws } from './laws.ts';
import {
  type RandomSimulation,
  RUN_DEFAULTS,
  randomFaults,
  randomSimulation,
  type Trouble,
} from './random-simulation.ts';

interface Played {
  readonly world: SimWorld;
  readonly result: SimResult;
  readonly points: number;
}

async function play(random: RandomSimulation, plan: Trouble): Promise<Played> {
  const world = createSimWorld();
  const faults = createFaults(world, plan);
  const rivals: Promise<void>[] = [];
  const simulation: Simulation = {
    ...random,
    defaults: RUN_DEFAULTS,
    watch: (where, life) => {
      if (plan.rivals.includes(faults.passed())) rivals.push(sendRival(simulation, world));
      faults.watch(where, life);
    },
    onDeath: faults.onDeath,
    onAppend: () => {},
  };
  const result = await simulate(simulation, world);
  await Promise.all(rivals);
  await resumeOnceMore(simulation, world);
  return { world, result, points: faults.passed() };
}

/** A run that has ended stays as it ended; only files that a full disk has kept from being written may change. */
async function resumeOnceMore(simulation: Simulation, world: SimWorld): Promise<void> {
  const before = eventsOf(world).length;
  await simulate({ ...simulation, watch: () => {} }, world);
  if (eventsOf(world).length !== before) world.violations.push('a run that had ended went on');
}

const PEACE: Trouble = { deaths: [], diskFull: [], readErrors: [], clockJumps: [], rivals: [] };

/** Faults that the run had to take into account: then its end may be another one. */
function hadToYield(events: readonly RunEvent[], random: RandomSimulation, faults: Trouble): boolean {
  const gaveUp = events.some((event) => {
    const reported = JSON.stringify(event.payload);
    return /ENOSPC|EIO|interrupted \d times in a row|could not be committed/.test(reported);
  });
  const overspent = events.some(
    (event) => event.event_type === 'policy_violation' && event.payload.class === 'budget_exceeded',
  );
  // Files that no step reported are lost with their folder.
  const lostFiles = events.some(
    (event) => event.event_type === 'step_failed' && event.payload.changed && event.payload.tree === null,
  );
  const loses = lostFiles && faults.deaths.some(({ losesCheckout }) => losesCheckout);
  const timed = random.plan.steps.some((step) => step.opcode === 'GATE' && step.timeoutMs !== null);
  return gaveUp || overspent || loses || (timed && faults.clockJumps.length > 0);
}

export interface Tried {
  /** What is wrong with the run; nothing, if all is well. */
  readonly problems: readonly string[];
  /** What came to pass, so that a suite in which nothing goes wrong is found out. */
  readonly happened: readonly Happening[];
}

export type Happening =
  | 'a process died'
  | 'a step was entered again'
  | 'the disk was full'
  | 'a read failed'
  | 'a gate timed out'
  | 'files were rolled back'
  | 'a preparation was interrupted'
  | 'a preparation failed'
  | 'a branch was left alone'
  | 'the ends were compared';

export async function trySeed(seed: number): Promise<Tried> {
  const random = randomSimulation(seed);
  const peaceful = await play(random, PEACE);
  const problems = brokenLaws(random, peaceful.world, peaceful.result).map(
    (problem) => `in peace: ${problem}`,
  );
  const faults = randomFaults(seed, peaceful.points);
  const troubled = await play(random, faults);
  problems.push(...brokenLaws(random, troubled.world, troubled.result));
  const comparable = problems.length === 0 && !hadToYield(eventsOf(troubled.world), random, faults);
  if (comparable) {
    const difference = findDifference(essenceOf(peaceful.world), essenceOf(troubled.world));
    if (difference !== null)
      problems.push(`${difference.what} should be ${difference.expected}, and is ${difference.found}`);
  }
  return { problems, happened: happeningsIn(troubled, comparable) };
}

function beforeFirstStep(events: readonly RunEvent[]): readonly string[] {
  const names = events.map(({ event_type }) => event_type);
  return names.slice(0, names.includes('step_started') ? names.indexOf('step_started') : names.length);
}

function happeningsIn({ world, result }: Played, compared: boolean): readonly Happening[] {
  const events = eventsOf(world);
  const types = new Set(events.map(({ event_type }) => event_type));
  const reported = `${result.failures.join(' ')} ${JSON.stringify(events)}`;
  const happened: Readonly<Record<Happening, boolean>> = {
    'a process died': result.deaths > 0,
    'a step was entered again': events.some(
      (event) => event.event_type === 'step_started' && event.payload.recovery,
    ),
    'the disk was full': reported.includes('ENOSPC'),
    'a read failed': reported.includes('EIO'),
    'a gate timed out': types.has('gate_timed_out'),
    'files were rolled back': types.has('rollback_completed'),
    'a preparation was interrupted': beforeFirstStep(events).includes('run_resumed'),
    'a preparation failed': !types.has('step_started') && !types.has('run_cancelled'),
    'a branch was left alone': events.some(
      ({ event_type, payload }) => event_type === 'notice_recorded' && payload.kind === 'branch_left_alone',
    ),
    'the ends were compared': compared,
  };
  return (Object.keys(happened) as Happening[]).filter((name) => happened[name]);
}
