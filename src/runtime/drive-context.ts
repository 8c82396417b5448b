import type { RunEvent } from '../contracts/event.ts';
import type { Plan } from '../kernel/plan.ts';
import { INITIAL_STATE, type RunState } from '../kernel/state.ts';
import type { DrivenRun } from '../ports/run-store.ts';
import type { RunWorkspace } from '../ports/workspace.ts';
import { readCancelRequest } from './cancel-request.ts';
import { metadataOf, statusOf, writeMetadata, writeStatus } from './derived-files.ts';
import { maskDraft } from './masked-events.ts';
import { Interrupted, markOf, type RunContext, type RunDeps, type RunObserver } from './run-context.ts';
import { createRunViewer, type RunView } from './run-view.ts';

/** `status.json` is refreshed, and requests from outside are looked for, this often while a step runs. */
const HEARTBEAT_MS = 1_000;

/** What the drive itself needs beyond what effects see. */
export interface DriveContext extends RunContext {
  readonly state: () => RunState;
  /** Makes sure, once, that the worktree is there. */
  readonly openWorkspace: () => Promise<void>;
  readonly writeMetadata: () => Promise<void>;
  /** Brings `status.json` up to now. */
  readonly refreshStatus: () => Promise<void>;
  readonly abort: () => void;
  /** Kills what the step under way has started, without the grace that an aborted step gets. */
  readonly killProcesses: () => Promise<unknown>;
  /** Throws `Interrupted` when the run is to stop here. */
  readonly stopIfAsked: () => Promise<void>;
  /** Leaves nothing under way: whoever drives next must find no write of ours behind its own. */
  readonly close: () => Promise<void>;
}

export interface DriveContextRequest {
  readonly deps: RunDeps;
  readonly plan: Plan;
  readonly run: DrivenRun;
  readonly workspace: RunWorkspace;
  /** Aborting leaves the run where it is, to be resumed. */
  readonly signal: AbortSignal;
  readonly observer: RunObserver;
  /** Makes the worktree, or makes sure that it is there. */
  readonly open: (view: RunView) => Promise<void>;
}

export function createContext(request: DriveContextRequest): DriveContext {
  const { plan, run, workspace, observer } = request;
  const { directory, lease } = run;
  // The workspace isn't protected by the log: whatever a step does there, it needs the lease for.
  const deps = { ...request.deps, workspace: guardCalls(request.deps.workspace, lease.expectHeld) };
  const events: RunEvent[] = [...run.events];
  const viewer = createRunViewer();
  for (const event of events) viewer.add(event);
  const controller = new AbortController();
  const abort = () => controller.abort();
  if (request.signal.aborted) abort();
  else request.signal.addEventListener('abort', abort, { once: true });
  const killProcesses = async () => {
    const stage = viewer.current()?.state.stage;
    if (stage?.kind === 'running') await deps.sweep(markOf(directory.runId, stage.stepId, stage.attempt));
  };
  const onLost = () => {
    abort();
    // Another driver may be at work on the same files already, so the agent gets no time to finish.
    killProcesses().catch(() => {});
  };
  if (lease.lost.aborted) onLost();
  else lease.lost.addEventListener('abort', onLost, { once: true });
  let opened: Promise<void> | null = null;
  let statusWritten: Promise<void> = Promise.resolve();
  const view = (): RunView => {
    const current = viewer.current();
    if (current === null) throw new Error(`run ${directory.runId} has no start`);
    return current;
  };
  // One write at a time, each from the newest view: an older status must never land on a newer one.
  const refreshStatus = (): Promise<void> => {
    statusWritten = statusWritten
      .catch(() => {})
      .then(() =>
        viewer.current() === null
          ? undefined
          : writeStatus(directory, statusOf(view(), plan, deps.clock.now())),
      );
    return statusWritten;
  };
  return {
    deps,
    plan,
    run,
    directory,
    workspace,
    observer,
    signal: controller.signal,
    abort,
    killProcesses,
    events: () => events,
    view,
    state: () => viewer.current()?.state ?? INITIAL_STATE,
    record: async (drafts) => {
      if (drafts.length === 0) return;
      const appended = await run.append(drafts.map((draft) => maskDraft(draft, deps.project.secrets ?? [])));
      for (const event of appended) {
        events.push(event);
        viewer.add(event);
      }
      await refreshStatus();
      observer.onEvents(appended, view());
      notify(deps, appended);
    },
    refreshStatus,
    openWorkspace: async () => {
      lease.expectHeld();
      opened ??= request.open(view());
      try {
        await opened;
      } catch (error) {
        opened = null;
        throw error;
      }
    },
    stopIfAsked: async () => {
      if (controller.signal.aborted || (await readCancelRequest(directory)) !== null) throw new Interrupted();
    },
    close: async () => {
      request.signal.removeEventListener('abort', abort);
      lease.lost.removeEventListener('abort', onLost);
      await refreshStatus().catch(() => {});
    },
    writeMetadata: () => {
      const place = { repoRoot: workspace.repoRoot, artifactsRoot: directory.path };
      return writeMetadata(directory, metadataOf(view(), place));
    },
  };
}

/** The same port, with `check` asked before each call of one of its functions. */
function guardCalls<T extends object>(port: T, check: () => void): T {
  return new Proxy(port, {
    get: (target, key) => {
      const value: unknown = Reflect.get(target, key);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]): unknown => {
        check();
        return Reflect.apply(value, target, args);
      };
    },
  });
}

/** Tells the configured command what somebody may wait for. The run neither waits for it nor fails by it. */
function notify({ project }: RunDeps, events: readonly RunEvent[]): void {
  if (project.notify === null) return;
  for (const event of events) if (isNews(event)) project.notify(event);
}

/** An open gate, the end, and a wait for a time, after which somebody has to resume the run. */
function isNews(event: RunEvent): boolean {
  if (event.event_type === 'step_waiting') return event.payload.until !== undefined;
  return event.event_type === 'gate_requested' || event.event_type === 'run_completed';
}

export function startHeartbeat(context: DriveContext): { readonly stop: () => Promise<void> } {
  const stopping = new AbortController();
  const beating = beat(context, stopping.signal);
  return {
    stop: async () => {
      stopping.abort();
      await beating;
    },
  };
}

async function beat(context: DriveContext, stopping: AbortSignal): Promise<void> {
  for (;;) {
    await context.deps.clock.sleep(HEARTBEAT_MS, stopping);
    if (stopping.aborted) return;
    // Both are tried again at the next beat; neither may end a run.
    await context.refreshStatus().catch(() => {});
    const cancel = await readCancelRequest(context.directory).catch(() => null);
    if (cancel !== null) context.abort();
  }
}
