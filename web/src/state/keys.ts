import { useEffect, useRef } from 'preact/hooks';

/** Single letters act only where no text is being typed and no dialog is open. */
function isTyping(event: KeyboardEvent): boolean {
  const target = event.target;
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
}

function hasDialog(): boolean {
  return document.querySelector('dialog[open]') !== null;
}

export type KeyMap = Readonly<Record<string, () => void>>;

/** Binds single keys while the component is shown. */
export function useKeys(keys: KeyMap): void {
  const current = useRef(keys);
  current.current = keys;
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.metaKey || event.ctrlKey || event.altKey || event.defaultPrevented) return;
      if (isTyping(event) || hasDialog()) return;
      const act = current.current[event.key];
      if (act === undefined) return;
      event.preventDefault();
      act();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}

/** Moves the focus by one row of the lists on the screen; `j` and `k` do this everywhere. */
export function moveRowFocus(by: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>('[data-row]')].filter(
    (row) => row.getClientRects().length > 0,
  );
  if (rows.length === 0) return;
  const at = rows.findIndex((row) => row === document.activeElement || row.contains(document.activeElement));
  const next = at === -1 ? firstInView(rows) : Math.min(rows.length - 1, Math.max(0, at + by));
  rows[next]?.focus();
  rows[next]?.scrollIntoView({ block: 'nearest' });
}

function firstInView(rows: readonly HTMLElement[]): number {
  const found = rows.findIndex((row) => row.getBoundingClientRect().top >= 0);
  return Math.max(0, found);
}
