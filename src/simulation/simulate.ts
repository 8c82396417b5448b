import { answerGate } from '../app/drive/answer-gate.ts';
import type { EventPayload } from '../contracts/run/event.ts';
import type { Plan } from '../kernel/plan.ts';
import type { RunStore } from '../ports/run-store.ts';
import type { DriveEnd } from '../runtime/drive/drive.ts';
import { resumeRun } from '../runtime/drive/resume-run.ts';
import { startRun } from '../runtime/drive/start-run.ts';
import { viewRun } from '../runtime/record/run-view.ts';
import { messageOf } from '../text/error-message.ts';
import { createSimDeps, type SimDeps } from './sim-deps.ts';
import { createLife, type Life, type Watch } from './sim-life.ts';
import { type OnAppend, simDriver } from './sim-run-store.ts';
import type { SimScript } from './sim-script.ts';
import { durableAttempt, eventsOf, runOrphans, SIM_ROOT, type SimWorld } from './sim-world.ts';

/** A workflow, the script for its outcomes, and the faults to inject. */
export interface Simulation {
  readonly plan: Plan;
  readonly workflowText: Uint8Array;
  readonly defaults: EventPayload<'run_started'>['defaults'];
  readonly script: SimScript;
  /** Wait at gates, as `--wait` does, instead of resuming after each answer. */
  readonly stay: boolean;
  readonly watch: Watch;
  readonly onAppend: OnAppend;
  /** Further effects of a crash on the world. */
  readonly onDeath: () => void;
}

export interface SimResult {
  readonly ended: boolean;
  readonly deaths: number;
  /** Error messages of failed processes. */
  readonly failures: readonly string[];
  /** The state that the last drive returned. */
  readonly end: Extract<DriveEnd, { kind: 'ended' }> | null;
}

/** The message of a commit that the user adds to the run's branch. */
export const USER_COMMIT = 'by the user\n';

/** Far more than any run needs: a run that has not ended by then is in an endless loop. */
const MAX_LIVES = 100;
const MAX_TURNS = 1_000;

/** Runs a workflow with the real runtime in a simulated world, and resumes it until it ends. */
export async function simulate(simulation: Simulation, world: SimWorld): Promise<SimResult> {
  const failures: string[] = [];
  let deaths = 0;
  for (let lives = 0; lives < MAX_LIVES; lives += 1) {
    const end = await runProcess(simulation, world);
    switch (end.kind) {
      case 'ended':
        return { ended: true, deaths, failures, end };
      case 'died':
        deaths += 1;
        simulation.onDeath();
        break;
      case 'failed':
        failures.push(end.message);
        break;
      case 'waiting':
        await answerAsUser(simulation, world);
        break;
      case 'parked':
        advanceTime(world, end.parked.until);
        break;
      case 'interrupted':
        break;
    }
  }
  return { ended: false, deaths, failures, end: null };
}

type ProcessOutcome =
  | DriveEnd
  | { readonly kind: 'died' }
  | {
      readonly kind: 'failed';
      readonly message: string;
    };

function beginLife(simulation: Simulation, world: SimWorld): { readonly life: Life; readonly deps: SimDeps } {
  world.lives += 1;
  const life = createLife(world.lives, (where, living) => {
    runOrphans(world);
    simulation.watch(where, living);
  });
  const deps = createSimDeps(world, life, simulation.plan, simulation.script, simulation.onAppend);
  return { life, deps };
}

/** Runs one process: it starts or resumes the run, and ends when it is done or dies. */
async function runProcess(simulation: Simulation, world: SimWorld): Promise<ProcessOutcome> {
  const { life, deps } = beginLife(simulation, world);
  const driving = drive(simulation, world, deps).catch((error: unknown): ProcessOutcome => {
    return { kind: 'failed', message: messageOf(error) };
  });
  const dying = life.death.then((): ProcessOutcome => ({ kind: 'died' }));
  const end = Promise.race([driving, dying]);
  const result = simulation.stay ? await whileTimePasses(simulation, world, deps, end) : await end;
  // A process that is done is gone, whatever it was still waiting for.
  if (life.isAlive()) life.kill();
  return result;
}

function createDriveOptions(deps: SimDeps, wait: boolean) {
  const observer = { onEvents: () => {}, onLine: () => {} };
  return { deps, wait, signal: new AbortController().signal, observer, onGate: null };
}

async function drive(simulation: Simulation, world: SimWorld, deps: SimDeps): Promise<ProcessOutcome> {
  const common = createDriveOptions(deps, simulation.stay);
  if (world.runId === null || eventsOf(world).length === 0) {
    const started = await startRun({
      ...common,
      plan: simulation.plan,
      ids: { newRunId: () => `run-${world.lives}` },
      workflowText: simulation.workflowText,
      baseRef: 'HEAD',
      inputs: {},
      defaults: simulation.defaults,
      onCreated: () => {},
    });
    return started.ok ? started.end : { kind: 'failed', message: started.obstacles[0]?.message ?? '' };
  }
  const resumed = await resumeRun({ ...common, runId: world.runId, onPlan: () => {} });
  if (resumed.ok) return resumed.end;
  const { problem } = resumed;
  if (problem.kind === 'corrupt') world.violations.push(`the log is corrupt: ${problem.message}`);
  return { kind: 'failed', message: `the run can't be resumed: ${problem.kind}` };
}

/** Another process tries to resume the run while one drives it: it must be refused, and have no effect. */
export async function sendRival(simulation: Simulation, world: SimWorld): Promise<void> {
  const { runId, driver } = world;
  if (runId === null || driver === null || !driver.isAlive()) return;
  world.lives += 1;
  const rival = createLife(world.lives, (where) =>
    world.violations.push(`a process that does not drive the run got as far as ${where}`),
  );
  const deps = createSimDeps(world, rival, simulation.plan, simulation.script, () => {});
  const store: RunStore = {
    ...deps.store,
    drive: async () => ({ ok: false, problem: { kind: 'driven', driver: simDriver(driver) } }),
  };
  const end = await resumeRun({ ...createDriveOptions({ ...deps, store }, false), runId, onPlan: () => {} });
  if (end.ok || end.problem.kind !== 'driven') world.violations.push('two processes drive the run');
}

/**
 * Everything but a flush completes within one turn of the event loop, so a turn without a result or a flush
 * means that the run waits.
 */
async function whileTimePasses(
  simulation: Simulation,
  world: SimWorld,
  deps: SimDeps,
  end: Promise<ProcessOutcome>,
): Promise<ProcessOutcome> {
  const pending = Symbol('pending');
  for (let turns = 0; turns < MAX_TURNS; turns += 1) {
    const turn = new Promise<typeof pending>((resolve) => setImmediate(resolve, pending));
    const first = await Promise.race([end, turn]);
    if (first !== pending) return first;
    if (world.flushes > 0) continue;
    const stage = viewRun(eventsOf(world))?.state.stage;
    if (stage?.kind === 'waiting') await answerAsUser(simulation, world);
    if (stage?.kind === 'parked') advanceTime(world, stage.until);
    deps.clock.wakeNext();
  }
  world.violations.push('the run waits for something that never comes');
  return { kind: 'failed', message: 'the run waits for something that never comes' };
}

function advanceTime(world: SimWorld, until: string): void {
  world.time = Math.max(world.time, Date.parse(until));
}

/** The user works in the repository meanwhile: once they touch the branch, it is theirs. */
function touchBranch({ repo, runId }: SimWorld, { userTouchesBranch: does }: SimScript): void {
  const ref = `refs/heads/conductor/run/${runId}`;
  const at = repo.userRefs.get(ref);
  if (does === undefined || at === undefined || repo.commitById(at).message === USER_COMMIT) return;
  if (does === 'deletes') repo.userRefs.delete(ref);
  else repo.userRefs.set(ref, repo.makeCommit({ tree: repo.treeOf(at), parent: at, message: USER_COMMIT }));
}

const SIM_ORIGIN = {
  user: 'ann',
  terminal: '/dev/pts/0',
  session: null,
  process: { pid: 1, host: 'sim', parent: null },
};

/** Two users give the same answer at once, and then a different one arrives: only one answer may count. */
async function answerAsUser(simulation: Simulation, world: SimWorld): Promise<void> {
  const { life, deps } = beginLife(simulation, world);
  const answering = giveAnswer(simulation, world, deps).catch(() => {});
  if ((await Promise.race([answering, life.death])) === 'died') simulation.onDeath();
  else life.kill();
}

async function giveAnswer(simulation: Simulation, world: SimWorld, deps: SimDeps): Promise<void> {
  const read = await deps.store.read(world.runId ?? '');
  const awaiting = read.ok ? (viewRun(read.run.events)?.awaiting ?? null) : null;
  if (!read.ok || awaiting === null) return;
  const visit = durableAttempt(world)?.visit ?? 1;
  const key = simulation.script.keyOf(awaiting.stepId, visit);
  if (key === 'gate_timed_out') {
    world.time = Math.max(world.time, Date.parse(awaiting.expiresAt ?? ''));
    return;
  }
  touchBranch(world, simulation.script);
  const answer = key === 'gate_rejected' ? 'gate_rejected' : 'gate_approved';
  const request = {
    record: read.run,
    workspace: deps.workspace,
    repoRoot: SIM_ROOT,
    isShared: false,
    by: awaiting.approvers[0] ?? 'ann',
    answerer: { origin: SIM_ORIGIN, runMark: null },
    accepted: 'any' as const,
    comment: simulation.script.habitsOf(awaiting.stepId, visit).comment,
  };
  const together = [request.comment, 'me too'].map((comment) => answerGate({ ...request, answer, comment }));
  const accepted = (await Promise.all(together)).filter(({ ok }) => ok).length;
  if (accepted === 0) return;
  const opposite = answer === 'gate_approved' ? 'gate_rejected' : 'gate_approved';
  const late = await answerGate({ ...request, answer: opposite });
  if (accepted > 1 || late.ok) world.violations.push(`gate ${awaiting.stepId} took two answers`);
}
