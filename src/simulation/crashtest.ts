import type { EventPayload } from '../contracts/event.ts';
import type { Plan } from '../kernel/plan.ts';
import { createRandom } from './random.ts';
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
  /** Where lines are torn, and which scripts are tried when there are too many. */
  readonly seed: number;
  /** Only the script of this name. */
  readonly only: string | null;
}

export interface ScriptReport {
  readonly name: string;
  /** Events of the run that nothing interrupted. */
  readonly events: number;
  /** Deaths that were tried, each followed by a resume. */
  readonly boundaries: number;
  /** Steps that had to be entered again. */
  readonly recoveries: number;
  readonly end: string;
  readonly ok: boolean;
}

export interface CrashtestFailure {
  readonly script: string;
  /** The number of events that were on disk when the process died. */
  readonly boundary: number;
  readonly torn: boolean;
  /** The event that was lost, or null when the log was whole. */
  readonly lost: string | null;
  readonly difference: Difference;
}

export interface CrashtestReport {
  readonly scripts: readonly ScriptReport[];
  /** Scripts that were left out because there are too many. */
  readonly cut: number;
  readonly failure: CrashtestFailure | null;
}

/** A workflow with more ways through it is tried on a choice of them. */
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
 * Runs each script once in peace, then kills it at every event boundary, takes it up again and compares the
 * ends. Stops at the first difference.
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

/** The world at the moment of an append, and the lines that were to be added. */
interface Moment {
  readonly world: SimWorld;
  readonly lines: readonly string[];
}

interface Tried {
  readonly report: ScriptReport;
  readonly failure: CrashtestFailure | null;
}

/** One script, in peace and then killed everywhere. */
export async function tryScript(request: Omit<CrashtestRequest, 'only'>, script: SimScript): Promise<Tried> {
  const moments: Moment[] = [];
  const world = createSimWorld();
  const peaceful = simulationOf(request, script);
  const onAppend = (lines: readonly string[]) => moments.push({ world: copyWorld(world), lines });
  const result = await simulate({ ...peaceful, onAppend }, world);
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
  const own = brokenLaw(world, result.ended);
  if (own !== null)
    return {
      report: reportOf(false),
      failure: {
        script: script.name,
        boundary: eventsOf(world).length,
        torn: false,
        lost: null,
        difference: own,
      },
    };
  for (const moment of moments)
    for (const death of deathsAt(moment, random)) {
      tally.boundaries += 1;
      const again = await simulate(peaceful, death.world);
      tally.recoveries += recoveriesIn(death.world);
      const difference = brokenLaw(death.world, again.ended) ?? compareEnds(expected, death.world);
      if (difference === null) continue;
      const { boundary, torn, lost } = death;
      return { report: reportOf(false), failure: { script: script.name, boundary, torn, lost, difference } };
    }
  return { report: reportOf(true), failure: null };
}

function simulationOf(request: Omit<CrashtestRequest, 'only'>, script: SimScript): Simulation {
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
 * The ways to die around one append. Any number of its lines may have got to the disk: with a process that
 * was killed, whole ones; with a power loss, also a piece of the next, and nothing else that was not flushed.
 */
function* deathsAt({ world, lines }: Moment, random: ReturnType<typeof createRandom>): Generator<Death> {
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

function recoveriesIn(world: SimWorld): number {
  return eventsOf(world).filter((event) => event.event_type === 'step_started' && event.payload.recovery)
    .length;
}

/** What must hold for every run, whatever its end. */
function brokenLaw(world: SimWorld, ended: boolean): Difference | null {
  const [breach] = world.breaches;
  if (breach !== undefined) return { what: 'a rule', expected: 'it holds', found: breach };
  const reading = readSimLog(world.disk.read(logPath(world.runId ?? '')) ?? '');
  if (!reading.ok)
    return { what: 'the log', expected: 'a chain', found: `line ${reading.line}: ${reading.message}` };
  if (!ended) return { what: 'the run', expected: 'an end', found: 'none' };
  const last = reading.events.at(-1)?.event_type ?? 'nothing';
  return last === 'run_completed' ? null : { what: 'the last event', expected: 'run_completed', found: last };
}

/** Attempts that died have spent something too, and that may go past a budget. */
function compareEnds(expected: RunEssence, world: SimWorld): Difference | null {
  const found = essenceOf(world);
  const overspent = found.end.endsWith(' budget') && !expected.end.endsWith(' budget');
  return overspent ? null : findDifference(expected, found);
}
