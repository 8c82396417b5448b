import { setTimeout as pause } from 'node:timers/promises';
import type { Opened } from '../../src/app/opened.ts';
import type { Services } from '../../src/app/services.ts';
import type { Engine } from '../../src/ports/engine.ts';
import type { CliResult } from '../../testing/cli.ts';
import { runInProcess } from './in-process.ts';
import { fixture, type Scene } from './scene.ts';

/** The commands as on a shared engine: runs go to the queue of the repository, and workers drive them. */
export interface QueueScene {
  readonly conductor: (...args: readonly string[]) => Promise<CliResult>;
  /** Submits a run of a fixture workflow, or of the given path, and returns its id. */
  readonly submit: (workflow: string, ...args: readonly string[]) => Promise<string>;
  /** The reason that `engine status` gives for a queued run. */
  readonly reasonOf: (runId: string) => Promise<string>;
  /** Waits until it gives this reason. */
  readonly awaitReason: (runId: string, reason: string) => Promise<void>;
}

export function onQueue(scene: Pick<Scene, 'cliOptions'>): QueueScene {
  const conductor = (...args: readonly string[]) =>
    runInProcess(args, { ...scene.cliOptions, changeServices: shareEngine });
  const reasonOf = async (runId: string) => {
    const { stdout } = await conductor('engine', 'status', '--json');
    const { queue } = JSON.parse(stdout) as {
      readonly queue: readonly { readonly run_id: string; readonly reason: { readonly text: string } }[];
    };
    return queue.find((each) => each.run_id === runId)?.reason.text ?? 'not queued';
  };
  return {
    conductor,
    submit: async (workflow, ...args) => {
      const path = workflow.includes('/') ? workflow : fixture(workflow);
      const { stdout, stderr, code } = await conductor('run', path, '--detach', ...args);
      if (code !== 0) throw new Error(stderr);
      return stdout.trim();
    },
    reasonOf,
    awaitReason: async (runId, reason) => {
      while ((await reasonOf(runId)) !== reason) await pause(50);
    },
  };
}
function shareEngine(services: Services): Services {
  return {
    ...services,
    openProject: async (...args) => shareStore(await services.openProject(...args)),
    openRecords: async (...args) => shareStore(await services.openRecords(...args)),
  };
}

function shareStore<T extends { readonly store: Engine }>(opened: Opened<T>): Opened<T> {
  if (!opened.ok) return opened;
  const { value } = opened;
  return { ok: true, value: { ...value, store: { ...value.store, kind: 'shared' } } };
}
