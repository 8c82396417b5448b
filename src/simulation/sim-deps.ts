import type { Prompt } from '../contracts/documents/prompt.ts';
import type { Plan } from '../kernel/plan.ts';
import type { Clock } from '../ports/clock.ts';
import type { Baselines } from '../ports/shared-stores.ts';
import type { CheckoutSetup, SetupRequest, SetupResult } from '../ports/workspace/setup.ts';
import type { Project, RunDeps, StepPolicy } from '../runtime/run-context.ts';
import type { Life } from './sim-life.ts';
import { createSimPrograms } from './sim-programs.ts';
import { createSimRunStore, type OnAppend } from './sim-run-store.ts';
import type { SimScript } from './sim-script.ts';
import { createSimWorkspace } from './sim-workspace.ts';
import { durableAttempt, SIM_ROOT, type SimWorld } from './sim-world.ts';

const DIGEST = 'd'.repeat(64);

/** A file that no step may touch, for scripts that violate the policy. */
export const FORBIDDEN_FILE = 'forbidden.txt';

export interface SimDeps extends RunDeps {
  readonly clock: SimClock;
}

/** All ports of one process in a simulated world. */
export function createSimDeps(
  world: SimWorld,
  life: Life,
  plan: Plan,
  script: SimScript,
  onAppend: OnAppend,
): SimDeps {
  const programs = createSimPrograms(world, life, script);
  return {
    clock: createSimClock(world, life),
    store: createSimRunStore(world, life, onAppend),
    workspace: createSimWorkspace(world, life, (operation, name) => gitFails(world, script, operation, name)),
    validators: programs.validators,
    planner: programs.planner,
    prompts: {
      byRef: createPrompts(plan),
      problem: () => null,
      variables: () => [],
      render: () => ({ ok: true, text: 'do it' }),
    },
    project: createSimProject(programs.agent),
    sweep: async (mark) => {
      await life.point('sweep');
      const found = [...world.programs].filter(
        (program) => program.mark === mark || program.mark.startsWith(`${mark}/`),
      );
      for (const program of found) world.programs.delete(program);
      return found.length;
    },
    version: '0.0.0',
    setup: createSimSetup(world, life, script),
    baselines: createSimBaselines(world, life),
  };
}

/** Results of checks on base commits, which outlive the run. */
function createSimBaselines(world: SimWorld, life: Life): Baselines {
  const pathOf = (key: string) => `${SIM_ROOT}/baselines/${key}.json`;
  return {
    find: async (key) => {
      await life.point('read');
      return world.disk.read(pathOf(key));
    },
    put: async (key, text) => {
      await life.point('write');
      world.disk.write(pathOf(key), text, true);
    },
  };
}

/** Makes git fail in a rollback or a gate that the script leaves by `error`. */
function gitFails(
  world: SimWorld,
  script: SimScript,
  operation: 'snapshot' | 'restore',
  name: string,
): boolean {
  const entry = durableAttempt(world);
  if (entry === null || !name.startsWith(`${entry.stepId}@`)) return false;
  if (script.keyOf(entry.stepId, entry.visit) !== 'error') return false;
  return entry.opcode === (operation === 'restore' ? 'ROLLBACK' : 'GATE');
}

function createSimProject(agent: ReturnType<typeof createSimPrograms>['agent']): Project {
  const policy: StepPolicy = {
    summary: { requested_policy: null, effective_policy: null },
    unenforceable: [],
    readOnly: false,
    check: ({ changes }) =>
      changes
        .filter(({ path }) => path === FORBIDDEN_FILE)
        .map(({ path }) => ({ class: 'forbidden_path', subject: path, message: `wrote ${path}` })),
  };
  return {
    repoRoot: SIM_ROOT,
    refusals: [],
    agent: () => agent,
    validator: (name) => ({
      kind: 'command',
      id: name,
      command: [name],
      artifacts: [],
      timeoutMs: null,
      report: null,
      retries: null,
    }),
    entrypoints: [],
    policy: () => policy,
    environment: {},
    notify: null,
  };
}

function createPrompts(plan: Plan): ReadonlyMap<string, Prompt> {
  const refs = plan.steps.flatMap((step) =>
    step.opcode === 'RUN_AGENT' && step.prompt.kind === 'reference' ? [step.prompt.ref] : [],
  );
  return new Map(
    refs.map((ref) => [
      ref,
      {
        ref,
        promptId: ref,
        version: 1,
        role: 'task',
        status: 'current',
        intent: null,
        inputs: [],
        schemaRef: null,
        body: 'do it',
      },
    ]),
  );
}

interface SimClock extends Clock {
  /** Advances the time to the next sleeper; false if there is none. */
  readonly wakeNext: () => boolean;
}

interface Sleeper {
  readonly due: number;
  readonly wake: () => void;
}

/** Time stands still unless the simulation advances it, so a day at a gate takes no time. */
function createSimClock(world: SimWorld, life: Life): SimClock {
  const sleepers = new Set<Sleeper>();
  // Sleepers use this monotonic clock, so that setting the time back does not extend a sleep.
  let uptime = 0;
  return {
    now: () => new Date(world.time),
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        const sleeper = {
          due: uptime + ms,
          wake: () => {
            sleepers.delete(sleeper);
            signal.removeEventListener('abort', sleeper.wake);
            resolve();
          },
        };
        if (signal.aborted) resolve();
        else {
          sleepers.add(sleeper);
          signal.addEventListener('abort', sleeper.wake);
        }
      }),
    wakeNext: () => {
      const [first, ...others] = sleepers;
      if (first === undefined || !life.isAlive()) return false;
      const next = others.reduce((soonest, other) => (other.due < soonest.due ? other : soonest), first);
      world.time += next.due - uptime;
      uptime = next.due;
      next.wake();
      return true;
    },
  };
}

/**
 * A setup with one command, which the script may fail. The preparation is expensive, so it must happen before
 * the first step.
 */
function createSimSetup(world: SimWorld, life: Life, script: SimScript): CheckoutSetup {
  const prepare = async ({ evidenceDir, mark }: SetupRequest): Promise<SetupResult> => {
    if (durableAttempt(world) !== null) world.violations.push('a run is set up after its first step started');
    const fails = script.preparationFails === 'setup';
    const program = { mark, parent: life, writes: [] };
    world.programs.add(program);
    await life.point('setup');
    const [stdoutPath, stderrPath] = [`${evidenceDir}/setup.stdout.txt`, `${evidenceDir}/setup.stderr.txt`];
    world.disk.write(stdoutPath, fails ? '' : 'installed\n', false);
    world.disk.write(stderrPath, fails ? 'no such package\n' : '', false);
    world.programs.delete(program);
    await life.point('setup:done');
    const exitCode = fails ? 1 : 0;
    const commands = [{ command: ['npm', 'ci'], exitCode, durationMs: 0, stdoutPath, stderrPath }];
    return fails
      ? {
          ok: false,
          reason: 'npm ci exited with 1',
          commands,
          notes: [],
          foreign: [],
          exitCode,
          cancelled: false,
        }
      : { ok: true, digest: DIGEST, cacheHit: false, commands, notes: [] };
  };
  return {
    isConfigured: true,
    commands: [],
    digest: async () => DIGEST,
    keyFiles: async () => new Map(),
    prepare,
    restore: async () => {
      await life.point('setup:restored');
      return { ok: true, digest: DIGEST, cacheHit: true, commands: [], notes: [] };
    },
    scan: async () => [],
    reservePorts: async () => null,
    releasePorts: async () => {},
    ownedPaths: [],
  };
}
