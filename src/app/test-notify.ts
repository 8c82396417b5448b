import { basename } from 'node:path';
import { createNotification } from '../notify/notification.ts';
import type { Notifier } from '../ports/notifier.ts';

export interface NotifyTrial {
  readonly target: string;
  readonly ok: boolean;
  /** Why it failed; null if it was sent. */
  readonly message: string | null;
}

/** Sends one notification to each target, without retries: the user is there and can try again. */
export async function testTargets(
  notifier: Notifier,
  { repoRoot, key }: { readonly repoRoot: string; readonly key: string },
  signal: AbortSignal,
): Promise<readonly NotifyTrial[]> {
  const notification = createNotification({
    id: `test:${key}`,
    kind: 'end',
    kinds: ['end'],
    repository: basename(repoRoot),
    workflow: null,
    title: null,
    headline: 'this is a test',
    asked: 'Notifications of conductor arrive here.',
    change: null,
    cost_usd: null,
    commands: [],
  });
  return Promise.all(
    notifier.targets.map(async ({ name }) => {
      const result = await notifier.send(
        name,
        { notification, event: { event_type: 'notification_test' } },
        signal,
      );
      return { target: name, ok: result.ok, message: result.ok ? null : result.message };
    }),
  );
}
