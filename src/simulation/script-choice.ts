import { HOUR_MS } from '../contracts/duration.ts';
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

/** One outgoing route of a step. */
export interface OutgoingRoute {
  readonly stepId: string;
  readonly key: RouteKey;
  readonly to: Target;
}

/** The outgoing routes of a step that can occur. */
export function listOutgoingRoutes(step: PlanStep): readonly OutgoingRoute[] {
  if (step.opcode === 'STOP') return [];
  const routes: Readonly<Record<string, Target | null>> = step.routes;
  return listCauses(step).flatMap((key) => {
    const to = ownValue(routes, key) ?? null;
    return to === null ? [] : [{ stepId: step.id, key, to }];
  });
}

function listCauses(step: Exclude<PlanStep, { opcode: 'STOP' }>): readonly RouteKey[] {
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

export function nameRoute({ stepId, key }: Pick<OutgoingRoute, 'stepId' | 'key'>): string {
  return `${stepId}.${key}`;
}

/**
 * Scripts that together take every outgoing route of every reachable step, shortest paths first. For an
 * evaluation that may refine, one more script refines every time, until the limit. In one more script the
 * first agent is parked, and in the last ones the preparation of the run fails.
 */
export function chooseScripts(plan: Plan): readonly SimScript[] {
  const pathsTo = pathsFromEntry(plan);
  const exitKeys = keysToStop(plan);
  const scripts: SimScript[] = [];
  const taken = new Set<string>();
  for (const step of plan.steps) {
    const path = pathsTo.get(step.id);
    if (path === undefined) continue;
    for (const way of listOutgoingRoutes(step)) {
      if (taken.has(nameRoute(way))) continue;
      const chosen = [...path, way];
      for (const passed of [...chosen, ...pathToStop(plan, exitKeys, way.to)]) taken.add(nameRoute(passed));
      scripts.push(createScript(nameRoute(way), exitKeys, chosen, null));
    }
    if (step.opcode === 'EVALUATE' && step.revision !== null)
      scripts.push(createScript(`${step.id}.partial, always`, exitKeys, path, step.id));
  }
  const first = plan.steps.find(({ id, opcode }) => opcode === 'RUN_AGENT' && pathsTo.has(id));
  if (first !== undefined) scripts.push(createParkedScript(first.id, exitKeys, pathsTo.get(first.id) ?? []));
  const unprepared = (hasBaseline(plan) ? (['setup', 'baseline'] as const) : (['setup'] as const)).map(
    (part) => ({
      ...createScript(`${part}, failed`, exitKeys, [], null),
      preparationFails: part,
    }),
  );
  return [...scripts, ...unprepared];
}

/** The checks run on the base before the first agent, if the workflow has both. */
export function hasBaseline({ steps }: Plan): boolean {
  return ['RUN_AGENT', 'RUN_VALIDATION'].every((opcode) => steps.some((step) => step.opcode === opcode));
}

function createParkedScript(
  stepId: string,
  exitKeys: ReadonlyMap<string, RouteKey>,
  path: readonly OutgoingRoute[],
): SimScript {
  return {
    ...createScript(`${stepId}, parked`, exitKeys, path, null),
    habitsOf: (id, visit) => ({
      ...plainHabits(id, visit),
      quotaExhaustedMs: id === stepId && visit === 1 ? HOUR_MS : null,
    }),
  };
}

/** The first visits follow the path; later ones take the shortest path to an end. */
function createScript(
  name: string,
  exitKeys: ReadonlyMap<string, RouteKey>,
  path: readonly OutgoingRoute[],
  alwaysPartial: string | null,
): SimScript {
  const keys = new Map(path.map(({ stepId, key }) => [stepId, key]));
  return {
    name,
    keyOf: (stepId, visit) => {
      if (stepId === alwaysPartial) return 'partial';
      const first = visit === 1 ? keys.get(stepId) : undefined;
      return first ?? exitKeys.get(stepId) ?? 'completed';
    },
    habitsOf: plainHabits,
  };
}

/** The shortest path from the entry to each reachable step. */
function pathsFromEntry(plan: Plan): ReadonlyMap<string, readonly OutgoingRoute[]> {
  const paths = new Map<string, readonly OutgoingRoute[]>([[plan.entryStep, []]]);
  for (const [stepId, path] of paths) {
    const step = ownValue(plan.stepsById, stepId);
    for (const way of step === undefined ? [] : listOutgoingRoutes(step))
      if (!paths.has(way.to) && way.to !== STOP) paths.set(way.to, [...path, way]);
  }
  return paths;
}

/** For each step, the key of the shortest path to an end; only success keys if possible. */
function keysToStop(plan: Plan): ReadonlyMap<string, RouteKey> {
  const keys = new Map<string, RouteKey>();
  const finished = new Set<string>([
    STOP,
    ...plan.steps.filter(({ opcode }) => opcode === STOP).map(({ id }) => id),
  ]);
  for (const good of [true, false])
    for (let nearer = finished.size, before = -1; nearer !== before; nearer = finished.size) {
      before = nearer;
      const reached = new Set(finished);
      for (const step of plan.steps) {
        const ways = finished.has(step.id) ? [] : listOutgoingRoutes(step);
        const way = ways.find(({ key, to }) => reached.has(to) && (!good || isSuccessKey(key)));
        if (way === undefined) continue;
        keys.set(step.id, way.key);
        finished.add(step.id);
      }
    }
  return keys;
}

function pathToStop(
  plan: Plan,
  exitKeys: ReadonlyMap<string, RouteKey>,
  from: Target,
): readonly OutgoingRoute[] {
  const walked: OutgoingRoute[] = [];
  for (let at = from; ; ) {
    const key = exitKeys.get(at);
    const step = ownValue(plan.stepsById, at);
    const way =
      step === undefined ? undefined : listOutgoingRoutes(step).find((candidate) => candidate.key === key);
    if (way === undefined) return walked;
    walked.push(way);
    at = way.to;
  }
}
