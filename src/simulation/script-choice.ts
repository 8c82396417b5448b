import { ownValue } from '../contracts/own-value.ts';
import {
  GATE_EVENTS,
  MECHANICAL_OUTCOMES,
  PLANNER_STATUSES,
  type RouteKey,
  STOP,
} from '../contracts/vocabulary.ts';
import { isSuccessKey } from '../kernel/ending.ts';
import type { Plan, PlanStep, Target } from '../kernel/plan.ts';
import { plainHabits, type SimScript } from './sim-script.ts';

/** One way out of a step. */
export interface Way {
  readonly stepId: string;
  readonly key: RouteKey;
  readonly to: Target;
}

/** The ways out of a step that something in the world can cause. */
export function waysOut(step: PlanStep): readonly Way[] {
  if (step.opcode === 'STOP') return [];
  const routes: Readonly<Record<string, Target | null>> = step.routes;
  return causesOf(step).flatMap((key) => {
    const to = ownValue(routes, key) ?? null;
    return to === null ? [] : [{ stepId: step.id, key, to }];
  });
}

function causesOf(step: Exclude<PlanStep, { opcode: 'STOP' }>): readonly RouteKey[] {
  switch (step.opcode) {
    case 'RUN_AGENT':
    case 'RUN_VALIDATION':
      return MECHANICAL_OUTCOMES;
    case 'EVALUATE':
      return PLANNER_STATUSES;
    case 'GATE':
      return step.timeoutMs === null
        ? ['gate_approved', 'gate_rejected', 'error']
        : [...GATE_EVENTS, 'error'];
    case 'ROLLBACK':
      return ['completed', 'error'];
  }
}

export function wayName({ stepId, key }: Pick<Way, 'stepId' | 'key'>): string {
  return `${stepId}.${key}`;
}

/**
 * Scripts that together take every way out of every step that can be reached, shortest way first. Where an
 * evaluation may refine, one more script asks for it every time, until the cap says no; in one more, the first agent
 * has to wait for a time; and in the last ones, the preparation of the run fails.
 */
export function chooseScripts(plan: Plan): readonly SimScript[] {
  const ahead = pathsFromEntry(plan);
  const homeward = keysToStop(plan);
  const scripts: SimScript[] = [];
  const taken = new Set<string>();
  for (const step of plan.steps) {
    const path = ahead.get(step.id);
    if (path === undefined) continue;
    for (const way of waysOut(step)) {
      if (taken.has(wayName(way))) continue;
      const chosen = [...path, way];
      for (const passed of [...chosen, ...walkHome(plan, homeward, way.to)]) taken.add(wayName(passed));
      scripts.push(scriptOf(wayName(way), homeward, chosen, null));
    }
    if (step.opcode === 'EVALUATE' && step.revision !== null)
      scripts.push(scriptOf(`${step.id}.partial, always`, homeward, path, step.id));
  }
  const first = plan.steps.find(({ id, opcode }) => opcode === 'RUN_AGENT' && ahead.has(id));
  if (first !== undefined) scripts.push(parkedScript(first.id, homeward, ahead.get(first.id) ?? []));
  const unprepared = (hasBaseline(plan) ? (['setup', 'baseline'] as const) : (['setup'] as const)).map(
    (part) => ({
      ...scriptOf(`${part}, failed`, homeward, [], null),
      preparationFails: part,
    }),
  );
  return [...scripts, ...unprepared];
}

/** The checks run on the base before the first agent, in workflows that have both. */
export function hasBaseline({ steps }: Plan): boolean {
  return ['RUN_AGENT', 'RUN_VALIDATION'].every((opcode) => steps.some((step) => step.opcode === opcode));
}

const HOUR_MS = 3_600_000;

function parkedScript(
  stepId: string,
  homeward: ReadonlyMap<string, RouteKey>,
  path: readonly Way[],
): SimScript {
  return {
    ...scriptOf(`${stepId}, parked`, homeward, path, null),
    habitsOf: (id, visit) => ({
      ...plainHabits(id, visit),
      spentForMs: id === stepId && visit === 1 ? HOUR_MS : null,
    }),
  };
}

/** The first visits follow the path; what comes after goes to an end by the shortest way. */
function scriptOf(
  name: string,
  homeward: ReadonlyMap<string, RouteKey>,
  path: readonly Way[],
  alwaysPartial: string | null,
): SimScript {
  const keys = new Map(path.map(({ stepId, key }) => [stepId, key]));
  return {
    name,
    keyOf: (stepId, visit) => {
      if (stepId === alwaysPartial) return 'partial';
      const first = visit === 1 ? keys.get(stepId) : undefined;
      return first ?? homeward.get(stepId) ?? 'completed';
    },
    habitsOf: plainHabits,
  };
}

/** To each step that can be reached, the shortest way from the entry. */
function pathsFromEntry(plan: Plan): ReadonlyMap<string, readonly Way[]> {
  const paths = new Map<string, readonly Way[]>([[plan.entryStep, []]]);
  for (const [stepId, path] of paths) {
    const step = ownValue(plan.stepsById, stepId);
    for (const way of step === undefined ? [] : waysOut(step))
      if (!paths.has(way.to) && way.to !== STOP) paths.set(way.to, [...path, way]);
  }
  return paths;
}

/** By which key each step gets to an end soonest: where it can, by keys of success alone. */
function keysToStop(plan: Plan): ReadonlyMap<string, RouteKey> {
  const keys = new Map<string, RouteKey>();
  const home = new Set<string>([
    STOP,
    ...plan.steps.filter(({ opcode }) => opcode === STOP).map(({ id }) => id),
  ]);
  for (const good of [true, false])
    for (let nearer = home.size, before = -1; nearer !== before; nearer = home.size) {
      before = nearer;
      const reached = new Set(home);
      for (const step of plan.steps) {
        const ways = home.has(step.id) ? [] : waysOut(step);
        const way = ways.find(({ key, to }) => reached.has(to) && (!good || isSuccessKey(key)));
        if (way === undefined) continue;
        keys.set(step.id, way.key);
        home.add(step.id);
      }
    }
  return keys;
}

function walkHome(plan: Plan, homeward: ReadonlyMap<string, RouteKey>, from: Target): readonly Way[] {
  const walked: Way[] = [];
  for (let at = from; ; ) {
    const key = homeward.get(at);
    const step = ownValue(plan.stepsById, at);
    const way = step === undefined ? undefined : waysOut(step).find((candidate) => candidate.key === key);
    if (way === undefined) return walked;
    walked.push(way);
    at = way.to;
  }
}
