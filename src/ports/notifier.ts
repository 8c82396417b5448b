import type { NotifyKind } from '../contracts/config/notify-config.ts';
import type { Notification } from '../notify/notification.ts';
import type { SendResult } from '../notify/retry.ts';

/** Sends notifications to the configured targets. */
export interface Notifier {
  readonly targets: readonly { readonly name: string; readonly on: readonly NotifyKind[] }[];
  /**
   * Tries once. Never rejects. `event` is what the notification is about: a command gets it on its standard input.
   * When the signal fires, the result is a failure.
   */
  readonly send: (
    target: string,
    about: { readonly notification: Notification; readonly event: object },
    signal: AbortSignal,
  ) => Promise<SendResult>;
}
