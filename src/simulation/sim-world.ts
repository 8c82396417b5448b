import type { RunEvent } from '../contracts/run/event.ts';
import type { Opcode } from '../contracts/vocabulary.ts';
import { createSimDisk, type SimDisk } from './sim-disk.ts';
import type { Life } from './sim-life.ts';
import { readSimLog } from './sim-log.ts';
import { createSimRepo, type SimRepo, type SimWrite } from './sim-repo.ts';

export const SIM_ROOT = '/sim';
const EVENTS_FILE = 'events.ndjson';

/** Everything outside of the processes: the state that remains when they all die. */
export interface SimWorld {
  readonly disk: SimDisk;
  readonly repo: SimRepo;
  /** Programs that steps started, with their remaining writes. They outlive the process that started them. */
  readonly programs: Set<SimProgram>;
  /** In milliseconds. */
  time: number;
  /** The process that drives the run. */
  driver: Life | null;
  runId: string | null;
  lives: number;
  /** Number of times orphaned programs were considered. */
  stirs: number;
  /** Number of flushes in progress: time does not pass meanwhile. */
  flushes: number;
  /** When the quotas of agents' accounts are renewed, by step and visit. */
  readonly quotaResetAt: Map<string, number>;
  /** Violated invariants. */
  readonly violations: string[];
}

export interface SimProgram {
  readonly mark: string;
  readonly parent: Life;
  readonly writes: SimWrite[];
}

const START = Date.parse('2026-01-01T00:00:00.000Z');

export function createSimWorld(): SimWorld {
  return {
    disk: createSimDisk(),
    repo: createSimRepo(),
    programs: new Set(),
    time: START,
    driver: null,
    runId: null,
    lives: 0,
    stirs: 0,
    flushes: 0,
    quotaResetAt: new Map(),
    violations: [],
  };
}

/** A copy of the current world, without its processes. */
export function copyWorld(world: SimWorld): SimWorld {
  return {
    ...world,
    disk: world.disk.clone(),
    repo: world.repo.clone(),
    programs: new Set(),
    driver: null,
    flushes: 0,
    quotaResetAt: new Map(world.quotaResetAt),
    violations: [...world.violations],
  };
}

export function runPath(runId: string): string {
  return `${SIM_ROOT}/runs/${runId}`;
}

export function logPath(runId: string): string {
  return `${runPath(runId)}/${EVENTS_FILE}`;
}

/** The events of the log, flushed or not. */
export function eventsOf(world: SimWorld): readonly RunEvent[] {
  const text = world.runId === null ? null : world.disk.read(logPath(world.runId));
  const reading = readSimLog(text ?? '');
  return reading.ok ? reading.events : [];
}

export interface SimEntry {
  readonly stepId: string;
  readonly opcode: Opcode;
  readonly attempt: number;
  readonly visit: number;
}

const STEP_STARTED = '"event_type":"step_started"';

/**
 * The entry that the durable log started last. A step must not have any effect before its entry is durable.
 */
export function durableEntry(world: SimWorld): SimEntry | null {
  const text = world.runId === null ? null : world.disk.readDurable(logPath(world.runId));
  const at = text?.lastIndexOf(STEP_STARTED) ?? -1;
  if (text === null || at === -1) return null;
  const line = text.slice(text.lastIndexOf('\n', at) + 1, text.indexOf('\n', at));
  const event = JSON.parse(line) as Extract<RunEvent, { event_type: 'step_started' }>;
  return { stepId: event.step_id ?? '', ...event.payload };
}

/** The tree that the runner of this mark works on, if the durable log names it. */
export function durableSnapshot(world: SimWorld, mark: string): string | null {
  const text = world.runId === null ? null : world.disk.readDurable(logPath(world.runId));
  const at = text?.indexOf(`"mark":${JSON.stringify(mark)}`) ?? -1;
  if (text === null || at === -1) return null;
  const line = text.slice(text.lastIndexOf('\n', at) + 1, text.indexOf('\n', at));
  const event = JSON.parse(line) as Extract<RunEvent, { event_type: 'runner_started' }>;
  return event.payload.snapshot?.tree ?? '';
}

/** Slow enough that an orphaned program still runs when its step is started again. */
const ORPHAN_PACE = 17;

/** Lets orphaned programs continue their writes. */
export function stirOrphans(world: SimWorld): void {
  world.stirs += 1;
  if (world.stirs % ORPHAN_PACE !== 0) return;
  for (const program of world.programs) {
    if (program.parent.isAlive()) continue;
    const write = program.writes.shift();
    if (write === undefined) world.programs.delete(program);
    else world.repo.addLine(write);
  }
}
