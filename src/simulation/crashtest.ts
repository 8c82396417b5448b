import type { EventPayload } from '../contracts/run/event.ts';
import type { Plan } from '../kernel/plan.ts';
import { type Difference, essenceOf, findDifference, type RunEssence } from './run-essence.ts';
import { chooseScripts } from './script-choice.ts';
import { readSimLog } from './sim-log.ts';
import type { SimScript } from './sim-script.ts';
import { copyWorld, createSimWorld, eventsOf, logPath, type SimWorld } from './sim-world.ts';
import { type Simulation, simulate } from './simulate.ts';

export interface CrashtestRequest {
  readonly plan: Plan;
  readonly workflowText: Uint8Array;
  readonly defaults: EventPayload<'run_started'>['defaults'];
  /** Determines where lines are torn, and which scripts run if there are too many. */
  readonly seed: number;
  /** Runs only the script of this name. */
  readonly only: string | null;
}

export interface ScriptReport {
  readonly name: string;
  /** Number of events of the uninterrupted run. */
  readonly events: number;
  /** Number of simulated crashes, each followed by a resume. */
  readonly boundaries: number;
  /** Number of steps that were started again by recovery. */
  readonly recoveries: number;
  readonly end: string;
  readonly ok: boolean;
}

export interface CrashtestFailure {
  readonly script: string;
  /** The number of events that were on disk when the process died. */
  readonly boundary: number;
  readonly torn: boolean;
  /** The event that was lost; null if the log was complete. */
  readonly lost: string | null;
  readonly difference: Difference;
}

export interface CrashtestReport {
  readonly scripts: readonly ScriptReport[];
  /** Number of scripts that were skipped because there are too many. */
  readonly cut: number;
  readonly failure: CrashtestFailure | null;
}

/** A workflow with more paths is tested on a sample of them. */
export const MAX_SCRIPTS = 64;

export function scriptsOf(plan: Plan, seed: number): readonly SimScript[] {
  const scripts = chooseScripts(plan);
  if (scripts.length <= MAX_SCRIPTS) return scripts;
  const random = createRandom(seed);
  const drawn = new Set(
    scripts
      .map((script) => ({ script, lot: random.next() }))
      .sort((a, b) => a.lot - b.lot)
      .slice(0, MAX_SCRIPTS)
      .map(({ script }) => script),
  );
  return scripts.filter((script) => drawn.has(script));
}

/**
 * Runs each script once without interruption, then kills it at every event boundary, resumes it and compares
 * the results. Stops at the first difference.
 */
export async function crashtest(request: CrashtestRequest): Promise<CrashtestReport> {
  const chosen = scriptsOf(request.plan, request.seed);
  const cut = chooseScripts(request.plan).length - chosen.length;
  const scripts: ScriptReport[] = [];
  for (const script of chosen) {
    if (request.only !== null && script.name !== request.only) continue;
    const { report, failure } = await tryScript(request, script);
    scripts.push(report);
    if (failure !== null) return { scripts, cut, failure };
  }
  return { scripts, cut, failure: null };
}

/** The world at the time of an append, and the lines to append. */
interface Moment {
  readonly world: SimWorld;
  readonly lines: readonly string[];
}

interface Tried {
  readonly report: ScriptReport;
  readonly failure: CrashtestFailure | null;
}

/** Runs one script, first uninterrupted and then killed at every event boundary. */
export async function tryScript(request: Omit<CrashtestRequest, 'only'>, script: SimScript): Promise<Tried> {
  const moments: Moment[] = [];
  const world = createSimWorld();
  const uninterrupted = createSimulation(request, script);
  const onAppend = (lines: readonly string[]) => moments.push({ world: copyWorld(world), lines });
  const result = await simulate({ ...uninterrupted, onAppend }, world);
  const expected = essenceOf(world);
  const random = createRandom(`${request.seed} ${script.name}`);
  const tally = { boundaries: 0, recoveries: 0 };
  const reportOf = (ok: boolean): ScriptReport => ({
    name: script.name,
    events: eventsOf(world).length,
    ...tally,
    end: expected.end,
    ok,
  });
  const violation = findViolation(world, result.ended);
  if (violation !== null)
    return {
      report: reportOf(false),
      failure: {
        script: script.name,
        boundary: eventsOf(world).length,
        torn: false,
        lost: null,
        difference: violation,
      },
    };
  for (const moment of moments)
    for (const death of crashesAt(moment, random)) {
      tally.boundaries += 1;
      const resumed = await simulate(uninterrupted, death.world);
      tally.recoveries += countRecoveries(death.world);
      const difference = findViolation(death.world, resumed.ended) ?? compareEnds(expected, death.world);
      if (difference === null) continue;
      const { boundary, torn, lost } = death;
      return { report: reportOf(false), failure: { script: script.name, boundary, torn, lost, difference } };
    }
  return { report: reportOf(true), failure: null };
}

function createSimulation(request: Omit<CrashtestRequest, 'only'>, script: SimScript): Simulation {
  const { plan, workflowText, defaults } = request;
  const nothing = () => {};
  return {
    plan,
    workflowText,
    defaults,
    script,
    stay: false,
    watch: nothing,
    onAppend: nothing,
    onDeath: nothing,
  };
}

interface Death {
  readonly world: SimWorld;
  readonly boundary: number;
  readonly torn: boolean;
  readonly lost: string | null;
}

/**
 * The possible crashes around one append. Any number of its lines may have reached the disk: after a kill
 * only complete lines; after a power loss also a part of the next line, and nothing else that was not
 * flushed.
 */
function* crashesAt({ world, lines }: Moment, random: ReturnType<typeof createRandom>): Generator<Death> {
  const path = logPath(world.runId ?? '');
  const before = eventsOf(world).length;
  for (let kept = 0; kept <= lines.length; kept += 1) {
    const next = lines[kept];
    const lost = next === undefined ? null : (JSON.parse(next) as { event_type: string }).event_type;
    const whole = copyWorld(world);
    whole.disk.append(path, lines.slice(0, kept).join(''));
    whole.disk.flush(path);
    yield { world: whole, boundary: before + kept, torn: false, lost };
    if (next === undefined) continue;
    const torn = copyWorld(whole);
    torn.disk.losePower(() => 0);
    torn.disk.append(path, next.slice(0, 1 + random.below(next.length - 1)));
    yield { world: torn, boundary: before + kept, torn: true, lost };
  }
}

function countRecoveries(world: SimWorld): number {
  return eventsOf(world).filter((event) => event.event_type === 'step_started' && event.payload.recovery)
    .length;
}

/** Checks the invariants of every run, whatever its result. */
function findViolation(world: SimWorld, ended: boolean): Difference | null {
  const [breach] = world.violations;
  if (breach !== undefined) return { what: 'a rule', expected: 'it holds', found: breach };
  const reading = readSimLog(world.disk.read(logPath(world.runId ?? '')) ?? '');
  if (!reading.ok)
    return { what: 'the log', expected: 'a chain', found: `line ${reading.line}: ${reading.message}` };
  if (!ended) return { what: 'the run', expected: 'an end', found: 'none' };
  const last = reading.events.at(-1)?.event_type ?? 'nothing';
  return last === 'run_completed' ? null : { what: 'the last event', expected: 'run_completed', found: last };
}

/** Interrupted attempts count towards the budget too, so the budget may be exceeded only in the interrupted run. */
function compareEnds(expected: RunEssence, world: SimWorld): Difference | null {
  const found = essenceOf(world);
  const overspent = found.end.endsWith(' budget') && !expected.end.endsWith(' budget');
  return overspent ? null : findDifference(expected, found);
}

/** Reproducible random numbers: the same seed gives the same numbers on every machine. */
export interface Random {
  /** From 0 (inclusive) to 1 (exclusive). */
  readonly next: () => number;
  /** An integer from 0 (inclusive) to `below` (exclusive). */
  readonly below: (below: number) => number;
  readonly chance: (probability: number) => boolean;
  readonly pick: <T>(items: readonly [T, ...T[]]) => T;
}

/** Mulberry32. A text seed gives independent streams for named things. */
export function createRandom(seed: number | string): Random {
  let state = typeof seed === 'number' ? seed >>> 0 : hashText(seed);
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    next,
    below,
    chance: (probability) => next() < probability,
    pick: (items) => items[below(items.length)] ?? items[0],
  };
}

/** FNV-1a. */
function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash >>> 0;
}
