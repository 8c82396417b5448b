import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import type { CliResult, StartedCli } from '../../testing/cli.ts';
import type { Scene } from '../e2e/scene.ts';
import type { Baseline } from './baseline.ts';
import { totalOf } from './baseline.ts';
import { makeGitTrap } from './git-trap.ts';
import type { Kill, KillPlan } from './kill-plan.ts';
import { cutPower, endProcessesOf } from './power-cut.ts';

const WORKFLOW = fileURLToPath(new URL('workflow.yaml', import.meta.url));
/** Loads the trap into every process of conductor. */
export const TRAP_OPTION = `--import ${new URL('trapped-disk.mjs', import.meta.url).href}`;
const POLL_MS = 4;
/** Recoveries of one step that no further kill may add to. */
const RECOVERIES_IN_A_ROW = 2;

/** Where a kill hit, by the last event that was on disk then. */
export interface Hit {
  readonly kill: Kill;
  readonly lastEvent: string;
  /** How many events there were. */
  readonly events: number;
}

export interface Life {
  readonly runId: string;
  readonly result: CliResult;
  readonly hits: readonly Hit[];
  /** The approver whose answer was accepted, if that process survived to report it. */
  readonly answeredBy: string | null;
  readonly counts: { readonly operations: string; readonly gitCalls: string };
}

interface Place {
  readonly scene: Scene;
  readonly plan: Pick<KillPlan, 'power' | 'kills'>;
  /** Null while the baseline is taken: then nothing is killed. */
  readonly baseline: Baseline | null;
  readonly folder: string;
  readonly gitFolder: string;
  readonly counts: Life['counts'];
  readonly hits: Hit[];
  readonly workflow: string;
}

/** Starts the workflow and takes it to its end, with nothing but `resume` after each kill and one answer to the gate. */
export async function live(
  scene: Scene,
  plan: Pick<KillPlan, 'power' | 'kills'>,
  baseline: Baseline | null,
  workflow = WORKFLOW,
): Promise<Life> {
  const place = { ...(await makePlace(scene, plan, baseline)), workflow };
  let result = await drive(place, ['run', workflow]);
  let answeredBy: string | null = null;
  for (;;) {
    const runId = scene.runIds()[0] ?? '';
    if (wasKilled(result)) {
      afterKill(place, runId);
      result = await drive(place, ['resume', runId]);
      continue;
    }
    if (result.code !== 3) return { runId, result, hits: place.hits, answeredBy, counts: place.counts };
    answeredBy = (await answer(place, runId)) ?? answeredBy;
    if (plan.power) cut(place, runId);
    result = await drive(place, ['resume', runId]);
  }
}

async function makePlace(
  scene: Scene,
  plan: Pick<KillPlan, 'power' | 'kills'>,
  baseline: Baseline | null,
): Promise<Omit<Place, 'workflow'>> {
  const folder = join(scene.home, 'kills');
  mkdirSync(join(folder, 'flushed'), { recursive: true });
  const counts = { operations: join(folder, 'operations'), gitCalls: join(folder, 'git-calls') };
  for (const path of Object.values(counts)) writeFileSync(path, '');
  const gitFolder = await makeGitTrap(join(folder, 'bin'));
  return { scene, plan, baseline, folder, gitFolder, counts, hits: [] };
}

function wasKilled({ signal }: CliResult): boolean {
  return signal === 'SIGKILL';
}

/** The kill that is due next. Too many recoveries of one step would end the run by rule, so such a kill waits for the next step. */
function nextKill({ plan, hits, ...place }: Place): Kill | null {
  const kill = plan.kills[hits.length];
  if (kill === undefined) return null;
  return recoveriesOf(logOf(place)) < RECOVERIES_IN_A_ROW ? kill : { how: 'moment', at: kill.at };
}

/** The command with the traps that a kill sets, as a process that can be killed. */
function start(place: Place, args: readonly string[], kill: Kill | null): StartedCli {
  return place.scene.cli.start(args, { env: environmentFor(place, kill) });
}

async function drive(place: Place, args: readonly string[]): Promise<CliResult> {
  const kill = nextKill(place);
  const started = start(place, args, kill);
  if (kill?.how === 'moment') await killAtMoment(place, kill, started);
  return started.done;
}

/** What the traps watch. */
export function placesFor({ repo, workspacesDir }: Scene): Record<string, string> {
  const runs = join(repo.root, '.tnh/run');
  return { KILLS_RUNS: runs, KILLS_ROOTS: `${runs}:${workspacesDir}` };
}

function environmentFor(place: Place, kill: Kill | null): Record<string, string> {
  return {
    ...placesFor(place.scene),
    NODE_OPTIONS: TRAP_OPTION,
    KILLS_COUNT: place.counts.operations,
    ...(place.plan.power ? { KILLS_FLUSHED: join(place.folder, 'flushed') } : {}),
    ...(place.baseline === null ? gitEnvironment(place) : trapFor(place, place.baseline, kill)),
  };
}

/** The first kill counts from the start of the run, a later one from the resume. */
function trapFor(place: Place, baseline: Baseline, kill: Kill | null): Record<string, string> {
  const { counts, hits } = place;
  if (kill !== null && hits.length > 0) for (const path of Object.values(counts)) writeFileSync(path, '');
  switch (kill?.how) {
    case 'git':
      return {
        ...gitEnvironment(place),
        KILLS_GIT_AT: String(1 + Math.floor(kill.at * baseline.gitCalls)),
        KILLS_GIT_VARIANT: kill.variant,
        KILLS_GIT_PAUSE: String(kill.pauseMs / 1000),
      };
    case 'write': {
      const at = 1 + Math.floor(kill.at * baseline.operations[kill.files]);
      return {
        KILLS_AT: String(Math.max(1, at - totalOf(counts.operations, kill.files))),
        KILLS_VARIANT: kill.variant,
        KILLS_FILES: kill.files,
      };
    }
    case 'moment':
    case undefined:
      return {};
  }
}

function gitEnvironment({ gitFolder, counts }: Place): Record<string, string> {
  return {
    PATH: `${gitFolder}:${process.env.PATH}`,
    KILLS_GIT_LOG: counts.gitCalls,
    KILLS_GIT_AT: '0',
  };
}

/**
 * The moment is measured in the run without a kill and found again by the events before it: on a busy machine the kill
 * moves with the run and not towards its start. A later kill is timed from the resume.
 */
async function killAtMoment(place: Place, kill: Kill, started: StartedCli): Promise<void> {
  const { eventMs = [] } = place.baseline ?? {};
  const momentMs = kill.at * (eventMs.at(-1) ?? 0);
  const events = place.hits.length === 0 ? eventMs.filter((ms) => ms <= momentMs).length : 0;
  const restMs = momentMs - (events === 0 ? 0 : (eventMs[events - 1] ?? 0));
  let ended = false;
  const ending = started.done.then(() => {
    ended = true;
  });
  const isThere = (log: string) =>
    countLines(log) >= Math.max(1, events) && recoveriesOf(log) < RECOVERIES_IN_A_ROW;
  while (!ended && !isThere(logOf(place))) await pause(POLL_MS);
  const until = performance.now() + restMs;
  while (!ended && performance.now() < until) await pause(Math.min(POLL_MS, until - performance.now()));
  started.kill('SIGKILL');
  await ending;
}

function afterKill(place: Place, runId: string): void {
  const kill = place.plan.kills[place.hits.length];
  if (kill === undefined) throw new Error('a process was killed that no plan names');
  if (place.plan.power) cut(place, runId);
  const lines = logOf(place).split('\n').slice(0, -1);
  const lastEvent = String(JSON.parse(lines.at(-1) ?? '{}').event_type);
  place.hits.push({ kill, lastEvent, events: lines.length });
}

/** A power cut ends every process and removes what was not flushed. */
function cut(place: Place, runId: string): void {
  endProcessesOf(runId);
  const flushed = join(place.folder, 'flushed');
  cutPower(join(place.scene.repo.root, '.tnh/run', runId), flushed);
  // Git flushes the objects of a store itself; its refs are conductor's.
  cutPower(join(place.scene.workspacesDir, runId, 'store/refs'), flushed);
}

/**
 * Two approvers answer at once, and the kill may hit one of them. At most one answer is accepted. A killed process may have
 * given its answer before, so after a kill a third approver may learn that the gate is already answered.
 */
async function answer(place: Place, runId: string): Promise<string | null> {
  const kill = nextKill(place);
  const first = kill?.how === 'moment' ? null : kill;
  const names = ['Ann', 'Bob'];
  const answers = await Promise.all(
    names.map(
      (name, index) => start(place, ['approve', runId, '--as', name], index === 0 ? first : null).done,
    ),
  );
  const accepted = names.filter((_, index) => answers[index]?.code === 0);
  expect(accepted.length, JSON.stringify(answers)).toBeLessThanOrEqual(1);
  const killed = answers.some(wasKilled);
  if (killed) afterKill(place, runId);
  else expect(accepted).toHaveLength(1);
  if (accepted[0] !== undefined) return accepted[0];
  const again = await start(place, ['approve', runId, '--as', 'Cyd'], null).done;
  expect([0, 1], again.stderr).toContain(again.code);
  return again.code === 0 ? 'Cyd' : null;
}

function logOf({ scene }: Pick<Place, 'scene'>): string {
  const runId = scene.runIds()[0];
  const path = runId === undefined ? '' : join(scene.repo.root, '.tnh/run', runId, 'events.ndjson');
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

function countLines(text: string): number {
  return text.split('\n').length - 1;
}

/** Recovery attempts since the last step ended. */
function recoveriesOf(log: string): number {
  let recoveries = 0;
  for (const line of log.split('\n').slice(0, -1)) {
    const event = JSON.parse(line);
    if (event.event_type === 'step_started') recoveries = event.payload.recovery ? recoveries + 1 : 0;
  }
  return recoveries;
}
