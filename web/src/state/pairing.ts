import { createStore } from './store.ts';

/** The one-time code of this visit, until it has been exchanged. */
export const pairingCode = createStore<string | null>(null);

/**
 * Takes the one-time code out of the address `#pair=CODE`, and removes it from the address bar and the history at once:
 * neither a screenshot nor the list of visited pages may contain it.
 */
export function takePairingCode(): void {
  const found = /^#pair=(?<code>[\w-]{1,128})$/.exec(location.hash)?.groups?.code;
  if (found === undefined) return;
  history.replaceState(null, '', location.pathname + location.search);
  pairingCode.set(found);
}
