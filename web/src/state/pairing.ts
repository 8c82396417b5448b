let code: string | null = null;

/**
 * Takes the one-time code out of the address `#pair=CODE`, and removes it from the address bar and the history at once:
 * neither a screenshot nor the list of visited pages may contain it.
 */
export function takePairingCode(): void {
  const found = /^#pair=(?<code>[\w-]{1,128})$/.exec(location.hash)?.groups?.code;
  if (found === undefined) return;
  code = found;
  history.replaceState(null, '', location.pathname + location.search);
}

export function pairingCode(): string | null {
  return code;
}

/** A code works once. */
export function dropPairingCode(): void {
  code = null;
}
