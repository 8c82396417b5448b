import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect } from 'vitest';
import { markedProcesses } from '../e2e/marked-processes.ts';
import { type Scene, type SceneOptions, test } from '../e2e/scene.ts';
import { type Baseline, endOf, measure } from './baseline.ts';
import { lateEnds } from './git-trap.ts';
import { type KillPlan, planKills } from './kill-plan.ts';
import { KILL_SCENE } from './kill-scene.ts';
import { type KillRecord, writeTables } from './kill-table.ts';
import { type Life, live } from './life.ts';

/** `npm run kills` sets these; without them this is the short form, with a seed whose kills are of every sort. */
const SEED = Number(process.env.KILLS_SEED ?? 33);
const COUNT = Number(process.env.KILLS_TOTAL ?? 12);
const ONLY = process.env.KILLS_ONLY ?? null;
const TABLE = process.env.KILLS_TABLE ?? null;

/** A kill after the end hits nothing: the run is repeated with an earlier one. */
const TRIES = 5;
const LIMIT_MS = 180_000;

const plans = planKills(SEED, COUNT).filter(({ number }) => ONLY === null || number === Number(ONLY));
const records: KillRecord[] = [];
let baseline: Baseline | null = null;

afterAll(() => {
  if (TABLE !== null) writeTables(TABLE, SEED, records);
});

describe('a run without a kill', () => {
  test('succeeds; the others are compared with it', { timeout: LIMIT_MS }, async ({ openScene }) => {
    const scene = await openScene(KILL_SCENE);
    const life = await live(scene, { power: false, kills: [] }, null);
    expect(life.result).toMatchObject({ code: 0 });
    baseline = await measure(scene, scene.record(life.runId), life.counts);
    expect(baseline.end).toMatchObject({
      finalState: 'completed success completed\n',
      preparation: ['baseline red', 'setup judge completed', 'setup work completed'],
      evaluations: ['partial', 'success'],
      answers: 1,
    });
    expect(baseline.eventMs.length).toBeGreaterThan(100);
    expect(baseline.operations.any).toBeGreaterThan(100);
    expect(baseline.operations.log).toBeGreaterThan(15);
    expect(baseline.gitCalls).toBeGreaterThan(80);
  });
});

describe('a run whose conductor is killed', () => {
  for (const plan of plans)
    test.concurrent(titleOf(plan), { timeout: LIMIT_MS }, async ({ openScene }) => {
      if (baseline === null) throw new Error('the run without a kill failed');
      const { scene, life } = await liveWithKills(plan, baseline, openScene);
      const record: KillRecord = { plan, hits: life.hits, recovered: false, same: false };
      records.push(record);
      expect(life.result, `${life.result.stdout}${life.result.stderr}`).toMatchObject({
        code: 0,
        signal: null,
      });
      record.recovered = true;
      const run = scene.record(life.runId);
      expect(await endOf(scene, run)).toEqual(baseline.end);
      expectOneAnswer(run, life);
      expectGitAwaited(run, life);
      expect(unreadable(run.path)).toEqual([]);
      expect(locksIn(join(scene.repo.root, '.git'))).toEqual([]);
      expect(locksIn(join(scene.workspacesDir, life.runId, 'store'))).toEqual([]);
      expect(markedProcesses(life.runId)).toEqual([]);
      record.same = true;
    });
});

/** Names everything that is needed to repeat it. */
function titleOf({ seed, number, kind, kills }: KillPlan): string {
  const details = kills.map((kill) => `${kill.how} at ${kill.at.toFixed(3)}${variantOf(kill)}`).join(', ');
  return `ends as if it was never killed: ${kind}, --seed ${seed} --only ${number} (${details})`;
}

function variantOf(kill: KillPlan['kills'][number]): string {
  switch (kill.how) {
    case 'moment':
      return '';
    case 'write':
      return ` (${kill.files}, ${kill.variant})`;
    case 'git':
      return ` (${kill.variant})`;
  }
}

async function liveWithKills(
  plan: KillPlan,
  measured: Baseline,
  openScene: (options?: SceneOptions) => Promise<Scene>,
): Promise<{ readonly scene: Scene; readonly life: Life }> {
  let { kills } = plan;
  for (let tries = 1; ; tries += 1) {
    const scene = await openScene(KILL_SCENE);
    const life = await live(scene, { ...plan, kills }, measured);
    if (life.hits.length === kills.length || life.result.code !== 0) return { scene, life };
    if (tries === TRIES) throw new Error(`only ${life.hits.length} of ${kills.length} kills hit`);
    kills = kills.map((kill) => ({ ...kill, at: kill.at * 0.8 }));
  }
}

function expectOneAnswer(run: ReturnType<Scene['record']>, { answeredBy }: Life): void {
  const answers = run.eventsOf('gate_approved');
  expect(answers).toHaveLength(1);
  expect(run.eventsOf('gate_rejected')).toEqual([]);
  if (answeredBy !== null) expect(answers[0]?.payload.by).toBe(answeredBy);
}

/** Git commands of a killed conductor end before the run continues. */
function expectGitAwaited({ events }: ReturnType<Scene['record']>, { hits, counts }: Life): void {
  const late = hits.filter(({ kill }) => kill.how === 'git' && kill.variant === 'starts late');
  const ends = lateEnds(counts.gitCalls);
  // Events that are recorded together with a resume have its time, and come before anything is changed.
  const resumed = events
    .filter(({ event_type }) => event_type === 'run_resumed')
    .map(({ timestamp }) => timestamp);
  for (const [index, hit] of late.entries()) {
    const next = events.slice(hit.events).find(({ timestamp }) => !resumed.includes(timestamp));
    if (next !== undefined) expect(ends[index] ?? 0).toBeLessThanOrEqual(Date.parse(next.timestamp));
  }
}

/** Files of the record that are missing, empty or not parseable. */
function unreadable(runPath: string): readonly string[] {
  const needed = ['diff.patch', 'transcript.md', 'final-state.txt', 'workflow.yaml'];
  return [
    ...needed.filter(
      (name) => !existsSync(join(runPath, name)) || readFileSync(join(runPath, name)).length === 0,
    ),
    ...readdirSync(runPath).filter((name) => name.endsWith('.json') && !isJson(join(runPath, name))),
  ];
}

function isJson(path: string): boolean {
  try {
    JSON.parse(readFileSync(path, 'utf8'));
    return true;
  } catch {
    return false;
  }
}

function locksIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.lock'));
}
