import type { EventDraft, RunEvent } from '../../contracts/run/event.ts';
import type { Plan } from '../../kernel/plan.ts';
import { INITIAL_STATE, type RunState } from '../../kernel/state.ts';
import { maskSecrets } from '../../policy/secrets/secrets.ts';
import type { DrivenRun, Flush } from '../../ports/run-store.ts';
import type { RunWorkspace } from '../../ports/workspace/workspace.ts';
import { createRunNotifications, findCurrent, type RunNotifications } from '../notify/run-notifications.ts';
import { deriveMetadata, deriveStatus, writeMetadata, writeStatus } from '../record/derived-files.ts';
import { createRunViewer, type RunView } from '../record/run-view.ts';
import { Interrupted, markOf, type RunContext, type RunDeps, type RunObserver } from '../run-context.ts';
import { readCancelRequest } from './cancel-request.ts';

/**
 * Payload keys that contain free text. Other keys contain names, which must not change. A gate's comment is not
 * masked: it is compared with the file in which the user's answer is stored.
 */
const TEXT_KEYS: ReadonlySet<string> = new Set(['reason', 'note', 'message', 'command']);

/** Masks secrets in the free text of an event. */
export function maskDraft(draft: EventDraft, secrets: readonly string[]): EventDraft {
  const payload = Object.fromEntries(
    Object.entries(draft.payload).map(([key, value]: [string, unknown]) => [
      key,
      key === 'inputs' ? maskInputs(value) : maskText(key, value, secrets),
    ]),
  );
  // Masking keeps the keys and the types of their values.
  return { ...draft, payload } as EventDraft;
}

function maskText(key: string, value: unknown, secrets: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => maskText(key, item, secrets));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([inner, item]: [string, unknown]) => [
        inner,
        maskText(inner, item, secrets),
      ]),
    );
  return typeof value === 'string' && TEXT_KEYS.has(key) ? maskSecrets(value, secrets) : value;
}

/**
 * Masks the values given with `--input`. They are also instructions for agents, so known secret values are kept (a
 * common word may be someone's password) and only text that looks like a secret is masked.
 */
function maskInputs(inputs: unknown): unknown {
  return Object.fromEntries(
    Object.entries(Object(inputs) as Record<string, unknown>).map(([name, value]) => [
      name,
      typeof value === 'string' ? maskSecrets(value, []) : value,
    ]),
  );
}

/** How often `status.json` is refreshed and cancel requests are read while a step runs. */
const HEARTBEAT_MS = 1_000;

/** The context of the drive loop: what effects see, and what only the loop itself needs. */
export interface DriveContext extends RunContext {
  readonly state: () => RunState;
  /** Makes sure that the workspace exists; the work is done once. */
  readonly openWorkspace: () => Promise<void>;
  readonly writeMetadata: () => Promise<void>;
  /** Writes the current state to `status.json`. */
  readonly refreshStatus: () => Promise<void>;
  readonly abort: () => void;
  /** Kills the processes of the current step, without the grace period that an aborted step gets. */
  readonly killProcesses: () => Promise<unknown>;
  /** Throws `Interrupted` if the run is to stop here. */
  readonly stopIfAsked: () => Promise<void>;
  readonly notifications: RunNotifications;
  /** Completes pending writes, so that none of them lands after a write of the next driver. */
  readonly close: () => Promise<void>;
}

export interface DriveContextRequest {
  readonly deps: RunDeps;
  readonly plan: Plan;
  readonly run: DrivenRun;
  readonly workspace: RunWorkspace;
  /** Aborting interrupts the run; it can be resumed. */
  readonly signal: AbortSignal;
  readonly observer: RunObserver;
  /** Creates the workspace, or makes sure that it exists. */
  readonly open: (view: RunView) => Promise<void>;
}

export function createContext(request: DriveContextRequest): DriveContext {
  const { plan, run, workspace, observer } = request;
  const { directory, lease } = run;
  // The log doesn't protect the workspace, so each operation on it requires the lease.
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
    // Another driver may already work on the same files, so the agent gets no grace period.
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
  // One write at a time, each from the newest view: an older status must never overwrite a newer one.
  const refreshStatus = (): Promise<void> => {
    statusWritten = statusWritten
      .catch(() => {})
      .then(() =>
        viewer.current() === null
          ? undefined
          : writeStatus(directory, deriveStatus(view(), plan, deps.clock.now())),
      );
    return statusWritten;
  };
  const append = async (drafts: readonly EventDraft[], flush?: Flush): Promise<void> => {
    if (drafts.length === 0) return;
    const masked = drafts.map((draft) => maskDraft(draft, deps.project.secrets ?? []));
    const appended = await run.append(masked, flush);
    for (const event of appended) {
      events.push(event);
      viewer.add(event);
    }
    await refreshStatus();
    observer.onEvents(appended, view());
    notifications.add(appended.filter(isSentAtOnce));
  };
  // Notifications are recorded while the run continues, and the log takes one append at a time.
  let lastRecord: Promise<void> = Promise.resolve();
  const record = (drafts: readonly EventDraft[], flush?: Flush): Promise<void> => {
    const turn = lastRecord.then(() => append(drafts, flush));
    lastRecord = turn.catch(() => {});
    return turn;
  };
  const notifications = createRunNotifications({ deps, directory, view, events: () => events, record });
  notifications.add(findCurrent(events, viewer.current()).filter(isSentAtOnce));
  return {
    deps,
    plan,
    run,
    directory,
    workspace,
    observer,
    notifications,
    signal: controller.signal,
    abort,
    killProcesses,
    events: () => events,
    view,
    state: () => viewer.current()?.state ?? INITIAL_STATE,
    record,
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
      if (controller.signal.aborted || (await readCancelRequest(run.inbox)) !== null) throw new Interrupted();
    },
    close: async () => {
      request.signal.removeEventListener('abort', abort);
      lease.lost.removeEventListener('abort', onLost);
      await refreshStatus().catch(() => {});
    },
    writeMetadata: () => {
      const place = { repoRoot: workspace.repoRoot, artifactsRoot: directory.path };
      return writeMetadata(directory, deriveMetadata(view(), place));
    },
  };
}

/** Wraps a port so that `check` runs before each call of one of its functions. */
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

export function startHeartbeat(context: DriveContext): { readonly stop: () => Promise<void> } {
  const stopping = new AbortController();
  const beating = runHeartbeat(context, stopping.signal);
  return {
    stop: async () => {
      stopping.abort();
      await beating;
    },
  };
}

async function runHeartbeat(context: DriveContext, stopping: AbortSignal): Promise<void> {
  for (;;) {
    await context.deps.clock.sleep(HEARTBEAT_MS, stopping);
    if (stopping.aborted) return;
    // Both are retried at the next beat; a failure must not end the run.
    await context.refreshStatus().catch(() => {});
    const cancel = await readCancelRequest(context.run.inbox).catch(() => null);
    if (cancel !== null) context.abort();
  }
}

/** The end is sent once the derived files are written: a receiver may read them. */
function isSentAtOnce({ event_type: type }: RunEvent): boolean {
  return type !== 'run_completed';
}
