import type { WorkEvent } from '../../../../src/contracts/work/work-event.ts';
import type {
  ImplementorResult,
  PlannedWorkItem,
  PlannerResult,
} from '../../../../src/contracts/work/work-results.ts';
import type { Clock } from '../../../../src/ports/clock.ts';
import { createWorkEngine } from '../../../../src/runtime/work/work-engine.ts';
import type { CommandOf } from '../../../../src/work/engine/command.ts';
import type { RoleEnd } from '../../../../src/work/engine/role.ts';
import type { WorkPorts } from '../../../../testing/work-boundaries.ts';
import {
  createMemoryJournal,
  createMemoryProvider,
  createMemorySpecs,
  createScriptedRunner,
  type RoleScript,
  readPlainLabels,
} from '../../../../testing/work-fakes.ts';

export const NEVER = new AbortController().signal;

/** A world in memory with one engine. Time passes when the engine sleeps. */
export function createEngineFixture(script: RoleScript, jobs = 2) {
  let ms = Date.UTC(2026, 0, 1);
  let sleeps = 0;
  let count = 0;
  const clock: Clock = {
    now: () => new Date(ms),
    sleep: async (pause) => {
      ms += pause;
      sleeps += 1;
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
  const next = (prefix: string) => `${prefix}${++count}`;
  const journal = createMemoryJournal(() => clock.now().toISOString());
  const provider = createMemoryProvider();
  const specs = createMemorySpecs();
  const runner = createScriptedRunner(script, () => next('run-'));
  const startEngine = (ports: Partial<WorkPorts> = {}) =>
    createWorkEngine({
      journal,
      provider,
      runner,
      ...ports,
      specs,
      clock,
      newKey: () => next('key-'),
      slots: jobs,
      maxRounds: 2,
      scopeOf: (body) => [body],
      readLabels: readPlainLabels,
      checkPlan: ({ close }, { items }) =>
        close.filter((id) => !items.has(id)).map((id) => `there is no item ${id}`),
    });
  const engine = startEngine();
  return {
    journal,
    provider,
    specs,
    runner,
    engine,
    startEngine,
    sleeps: () => sleeps,
    /** Creates items through a user's plan. */
    plan: (...create: PlannedWorkItem[]) => engine.executeCommand(applyPlan({ create }), 'ann'),
    status: async (id: string) => (await engine.snapshot()).state.items.get(id)?.item.status,
    eventsOf: (type: WorkEvent['type']) =>
      journal.entries.map(({ event }) => event).filter((event) => event.type === type),
  };
}

export function applyPlan(result: Partial<PlannerResult>): CommandOf<'apply_planner_result'> {
  return {
    kind: 'apply_planner_result',
    runId: 'by hand',
    specs: [],
    result: { role: 'planner', create: [], close: [], update: [], ...result },
  };
}

export function task(tempID: string, more: Partial<PlannedWorkItem> = {}): PlannedWorkItem {
  const labels = ['task:implement', 'status:pending', 'priority:medium', 'complexity:low'];
  return { tempID, title: `task ${tempID}`, body: `src/${tempID}.ts`, labels, blockedBy: [], ...more };
}

export function implemented(more: Partial<ImplementorResult> = {}): RoleEnd {
  return {
    ok: true,
    base: 'base',
    result: { role: 'implementor', outcome: 'completed', patch: 'diff', summary: 'done', ...more },
  };
}

export const APPROVES: RoleEnd = {
  ok: true,
  result: { role: 'reviewer', review: { verdict: 'approve', summary: 'fine', comments: [] } },
};

/** Resolves when the signal fires. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
