import type { Prompt } from '../contracts/documents/prompt.ts';
import type { Plan } from '../kernel/plan.ts';
import type { Baselines } from '../ports/baselines.ts';
import type { Project, RunDeps, StepPolicy } from '../runtime/run-context.ts';
import { createSimClock, type SimClock } from './sim-clock.ts';
import type { Life } from './sim-life.ts';
import { createSimPrograms } from './sim-programs.ts';
import { createSimRunStore, type OnAppend } from './sim-run-store.ts';
import type { SimScript } from './sim-script.ts';
import { createSimSetup } from './sim-setup.ts';
import { createSimWorkspace } from './sim-workspace.ts';
import { durableEntry, SIM_ROOT, type SimWorld } from './sim-world.ts';

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
      byRef: promptsOf(plan),
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
  const entry = durableEntry(world);
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

function promptsOf(plan: Plan): ReadonlyMap<string, Prompt> {
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
