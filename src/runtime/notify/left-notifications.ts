import { maskDraft } from '../drive/drive-context.ts';
import { viewRun } from '../record/run-view.ts';
import type { RunDeps } from '../run-context.ts';
import { createRunNotifications, findCurrent } from './run-notifications.ts';

/**
 * Sends the notifications that a killed process left unsent: that a run ended, waits at a gate or is parked, and
 * the telemetry of its end. Drives nothing. `except` is a run that the caller is about to drive.
 */
export async function sendLeftNotifications(deps: RunDeps, except: string | null): Promise<void> {
  const { notify, telemetry = null } = deps.project;
  if (notify === null && telemetry === null) return;
  for (const runId of await deps.store.listAbandoned()) if (runId !== except) await sendOfRun(deps, runId);
}

/** A run that another process drives by now is left to that process. */
async function sendOfRun(deps: RunDeps, runId: string): Promise<void> {
  const driven = await deps.store.drive(runId);
  if (!driven.ok) return;
  const { run } = driven;
  const events = [...run.events];
  const view = viewRun(events);
  try {
    if (view === null) return;
    const notifications = createRunNotifications({
      deps,
      directory: run.directory,
      view: () => view,
      events: () => events,
      record: async (drafts) => {
        const masked = drafts.map((draft) => maskDraft(draft, deps.project.secrets ?? []));
        events.push(...(await run.append(masked)));
      },
    });
    notifications.add(findCurrent(events, view));
    await notifications.settle();
  } finally {
    await run.release();
  }
}
