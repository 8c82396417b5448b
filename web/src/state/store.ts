import { useLayoutEffect, useReducer } from 'preact/hooks';

/** A value that components and modules share. */
export interface Store<T> {
  readonly get: () => T;
  readonly set: (value: T) => void;
  readonly subscribe: (listener: () => void) => () => void;
}

export function createStore<T>(initial: T): Store<T> {
  let value = initial;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set: (next) => {
      if (Object.is(next, value)) return;
      value = next;
      for (const listener of Array.from(listeners)) listener();
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Draws the component again whenever the store changes. */
export function useStore<T>(store: Store<T>): T {
  const [, redraw] = useReducer<number, undefined>((count) => count + 1, 0);
  const drawn = store.get();
  useLayoutEffect(() => {
    // The value may have changed between drawing and subscribing.
    if (!Object.is(store.get(), drawn)) redraw(undefined);
    return store.subscribe(() => redraw(undefined));
  }, [store]);
  return drawn;
}
