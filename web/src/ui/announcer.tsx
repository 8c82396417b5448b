import type { JSX } from 'preact';
import { createStore, useStore } from '../state/store.ts';

const message = createStore('');

/** Tells screen readers what changed, politely. */
export function announce(text: string): void {
  message.set(text);
}

export function Announcer(): JSX.Element {
  const text = useStore(message);
  return (
    <div class="sr-only" role="status" aria-live="polite">
      {text}
    </div>
  );
}
