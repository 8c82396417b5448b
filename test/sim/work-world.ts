import type { PlannedWorkItem, PlannerResult } from '../../src/contracts/work/work-results.ts';
import type { Clock } from '../../src/ports/clock.ts';
import { createWorkEngine, type WorkEngine } from '../../src/runtime/work/work-engine.ts';
import { createRandom } from '../../src/simulation/crashtest.ts';
import type { RoleEnd, RoleRequest } from '../../src/work/engine/role.ts';
import { findUnmergedBlockers } from '../../src/work/items/stack.ts';
import type { WorkState } from '../../src/work/items/state.ts';
import { type WorkBoundary, withBoundaries } from '../../testing/work-boundaries.ts';
import {
  createMemoryJournal,
  createMemoryProvider,
  createMemorySpecs,
  createScriptedRunner,
  readPlainLabels,
} from '../../testing/work-fakes.ts';
import { scopeOfLines } from './work-laws.ts';

export const JOBS = 2;

/** How an item goes, by its title. */
const HABITS = [
  'good',
  'fails-once',
  'never-works',
  'empty',
  'blocked',
  'invalid',
  'red-once',
  'always-red',
  'rejected-once',
] as const;
const FILES = ['src/a.ts', 'src/a.test.ts', 'src/b.ts', 'src/c.ts', 'lib/', 'lib/d.ts', 'docs/*.md'] as const;

class Death extends Error {}

/** All that outlives a process. */
export function createWorkWorld(seed: number) {
  let ticks = 0;
  let runs = 0;
  let keys = 0;
  const clock: Clock = {
    now: () => new Date(Date.UTC(2026, 0, 1) + ticks * 1000),
    sleep: async () => {
      ticks += 1;
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
  const journal = createMemoryJournal(() => clock.now().toISOString());
  const provider = createMemoryProvider();
  const specs = createMemorySpecs();
  specs.files.set('docs/specs/a.md', { text: 'v1', status: 'approved' });
  specs.files.set('docs/specs/draft.md', { text: 'never', status: 'draft' });
  const ended = new Map<string, number>();
  const play = async (request: RoleRequest): Promise<RoleEnd> => {
    await new Promise((resolve) => setImmediate(resolve));
    const name = `${request.role}/${request.role === 'planner' ? '' : request.item.item.id}`;
    const turn = ended.get(name) ?? 0;
    ended.set(name, turn + 1);
    return playRole(request, turn, seed);
  };
  const red = new Set<string>();
  provider.checks = (revision) => {
    const fails =
      revision.title.includes('always-red') || (revision.title.includes('red-once') && !red.has(revision.id));
    red.add(revision.id);
    return { status: fails ? 'failure' : 'success', url: null, reason: fails ? 'red' : null };
  };
  const runner = createScriptedRunner(play, () => `run-${++runs}`);

  /** A process that dies at the boundary with this number, counted over all processes. */
  let passed = 0;
  const startProcess = (dies: (at: number, name: WorkBoundary) => boolean) => {
    let dead = false;
    const ports = withBoundaries({ journal, provider, runner }, async (name) => {
      if (dead) throw new Death('it is dead');
      passed += 1;
      dead = dies(passed, name);
      if (dead) throw new Death(`killed ${name}`);
    });
    const engine = createWorkEngine({
      ...ports,
      specs,
      clock,
      newKey: () => String(++keys),
      slots: JOBS,
      maxRounds: 2,
      scopeOf: scopeOfLines,
      readLabels: readPlainLabels,
      checkPlan: () => [],
    });
    return { engine, isDead: () => dead };
  };
  return { journal, provider, runner, specs, startProcess, passed: () => passed };
}

export type WorkWorld = ReturnType<typeof createWorkWorld>;

/** Lives through the whole story, with as many processes as it takes. */
export async function liveThrough(
  world: WorkWorld,
  dies: (at: number, name: WorkBoundary) => boolean = () => false,
): Promise<WorkState> {
  for (let lives = 0; lives < 200; lives += 1) {
    const { engine, isDead } = world.startProcess(dies);
    try {
      await engine.recover();
      const state = await tellStory(world, engine);
      // One that died in the background may have come to an end without noticing.
      if (!isDead()) return state;
    } catch (error) {
      if (!(error instanceof Death)) throw error;
    }
  }
  throw new Error('it never got to the end');
}

/** Runs the engine until it is idle, then the user, until neither has anything left to do. */
async function tellStory(world: WorkWorld, engine: WorkEngine): Promise<WorkState> {
  for (;;) {
    await engine.runUntilIdle(new AbortController().signal);
    const { state } = await engine.snapshot();
    if (!(await actAsPerson(world, engine, state))) return state;
  }
}

async function actAsPerson(world: WorkWorld, engine: WorkEngine, state: WorkState): Promise<boolean> {
  const items = [...state.items.values()];
  const rejected = items.find(
    ({ item, statusReason }) =>
      item.status === 'needs-refinement' && statusReason.includes('requested in review'),
  );
  if (rejected !== undefined) {
    await engine.executeCommand(
      { kind: 'transition', itemId: rejected.item.id, to: 'pending', reason: 'again' },
      'ann',
    );
    return true;
  }
  const question = items.find(({ item }) => item.type === 'refinement' && item.status !== 'closed');
  if (question !== undefined) {
    await engine.executeCommand(
      { kind: 'transition', itemId: question.item.id, to: 'closed', reason: 'answered' },
      'ann',
    );
    return true;
  }
  if (world.specs.files.get('docs/specs/a.md')?.text === 'v1') {
    world.specs.files.set('docs/specs/a.md', { text: 'v2', status: 'approved' });
    return true;
  }
  const approved = items.find(
    ({ item }) => item.status === 'approved' && findUnmergedBlockers(state, item).length === 0,
  );
  if (approved === undefined) return false;
  await engine.executeCommand({ kind: 'merge', itemId: approved.item.id }, 'ann');
  return true;
}

function playRole(request: RoleRequest, turn: number, seed: number): RoleEnd {
  if (request.role === 'planner') {
    if (turn === 0 && seed % 3 === 0) return { ok: false, reason: 'the planner fell over' };
    return { ok: true, result: planFor(request, seed) };
  }
  const { title, id } = request.item.item;
  if (request.role === 'reviewer') {
    const rejects = title.includes('rejected-once') && turn === 0;
    const review = { verdict: rejects ? 'needs-changes' : 'approve', summary: 'seen', comments: [] } as const;
    return { ok: true, result: { role: 'reviewer', review: { ...review, comments: [] } } };
  }
  if (title.includes('never-works') || (title.includes('fails-once') && turn === 0))
    return { ok: false, reason: 'it fell over' };
  const outcome = title.includes('blocked')
    ? 'blocked'
    : title.includes('invalid')
      ? 'validation-failure'
      : 'completed';
  const patch = outcome !== 'completed' ? null : title.includes('empty') ? '' : `patch of ${id}`;
  return { ok: true, base: 'base', result: { role: 'implementor', outcome, patch, summary: `did ${id}` } };
}

function planFor(request: Extract<RoleRequest, { role: 'planner' }>, seed: number): PlannerResult {
  if (request.items.length === 0) {
    const random = createRandom(seed);
    const count = 3 + random.below(5);
    return {
      role: 'planner',
      create: Array.from({ length: count }, (_, index) => plan(random, index, count)),
      close: [],
      update: [],
    };
  }
  const stuck = request.items.filter(({ item }) => item.status === 'blocked').map(({ item }) => item.id);
  const [first] = request.items.filter(({ item }) => !stuck.includes(item.id));
  const random = createRandom(seed + 1000);
  return {
    role: 'planner',
    create: [plan(random, 0, 1)],
    close: stuck,
    update:
      first === undefined ? [] : [{ workItemID: first.item.id, body: `${first.body}\n\nmore`, labels: null }],
  };
}

/** Blockers are later ones, so that links point forward and never in a circle. */
function plan(random: ReturnType<typeof createRandom>, index: number, count: number): PlannedWorkItem {
  const isQuestion = random.chance(0.1);
  const later = Array.from({ length: count - index - 1 }, (_, step) => `t${index + step + 1}`);
  return {
    tempID: `t${index}`,
    title: `${random.pick(HABITS)} ${index}`,
    body: `- ${random.pick(FILES)}`,
    labels: [
      isQuestion ? 'task:refinement' : 'task:implement',
      'status:pending',
      `priority:${random.pick(['high', 'medium'])}`,
    ],
    blockedBy: later.filter(() => random.chance(0.25)),
  };
}

/** What has to be the same whatever was in between: not which runs there were, and not when. */
export function essenceOf(state: WorkState): unknown {
  return {
    items: [...state.items.values()].map(({ item, body, labels }) => ({
      ...item,
      createdAt: '',
      body,
      labels,
    })),
    verdicts: [...state.reviews].map(([id, reviews]) => `${id} ${reviews.at(-1)?.review.verdict}`).toSorted(),
    planned: [...state.planned],
    revisions: [...state.revisions.values()]
      .map(({ id, pipeline, workItemID }) => ({ id, pipeline, workItemID }))
      .toSorted((a, b) => a.id.localeCompare(b.id)),
    runs: state.runs.size,
    started: state.started.size,
  };
}
