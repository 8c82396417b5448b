import {
  observeWindowOffset,
  observeWindowRect,
  Virtualizer,
  type VirtualizerOptions,
  windowScroll,
} from '@tanstack/virtual-core';
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useLayoutEffect, useReducer, useRef } from 'preact/hooks';

export interface VirtualRowsProps {
  readonly count: number;
  /** The height of a row before it is measured. */
  readonly estimate: (index: number) => number;
  readonly keyOf: (index: number) => string | number;
  readonly row: (index: number) => ComponentChildren;
  /** Called with the rows that are in view, or nearly, and with the first one below the top bar. */
  readonly onRange?: (first: number, last: number, top: number) => void;
  /** A row to scroll to, once for each value of `scrollKey`. */
  readonly scrollTo?: number | null;
  readonly scrollKey?: string;
  readonly scrollAlign?: 'start' | 'center';
  readonly className?: string;
  /** The name of the list; rows of something else than a list have none. */
  readonly label?: string;
}

const OVERSCAN = 12;
/** The top bar and some space: a row that is scrolled to the start stays below it. */
const TOP = 65;

/** Keeps only the rows near the viewport in the document. The window scrolls; rows may have any height. */
export function VirtualRows(props: VirtualRowsProps): JSX.Element {
  const {
    count,
    estimate,
    keyOf,
    row,
    onRange,
    scrollTo = null,
    scrollKey = '',
    scrollAlign = 'center',
    className = '',
  } = props;
  const ref = useRef<HTMLElement | null>(null);
  const [, redraw] = useReducer<number, undefined>((drawn) => drawn + 1, 0);
  const virtualizer = useRef<Virtualizer<Window, HTMLElement> | null>(null);
  const margin = ref.current === null ? 0 : ref.current.getBoundingClientRect().top + scrollY;
  const options: VirtualizerOptions<Window, HTMLElement> = {
    count,
    estimateSize: estimate,
    getItemKey: keyOf,
    overscan: OVERSCAN,
    scrollMargin: margin,
    scrollPaddingStart: TOP,
    getScrollElement: () => window,
    initialOffset: () => scrollY,
    observeElementRect: observeWindowRect,
    observeElementOffset: observeWindowOffset,
    scrollToFn: windowScroll,
    onChange: () => redraw(undefined),
  };
  virtualizer.current ??= new Virtualizer(options);
  const current = virtualizer.current;
  current.setOptions(options);
  useLayoutEffect(() => current._didMount(), []);
  useLayoutEffect(() => current._willUpdate());
  const items = current.getVirtualItems();
  const first = items[0]?.index ?? 0;
  const last = items.at(-1)?.index ?? -1;
  const top = items.find(({ end }) => end > scrollY + TOP + 1)?.index ?? first;
  useEffect(() => {
    if (last >= first) onRange?.(first, last, top);
  }, [first, last, top, count, onRange]);
  useEffect(() => {
    if (scrollTo !== null && scrollTo < count) current.scrollToIndex(scrollTo, { align: scrollAlign });
  }, [scrollKey]);
  useLayoutEffect(() => {
    if (ref.current !== null) ref.current.style.height = `${current.getTotalSize()}px`;
  });
  const rows = items.map((item) => {
    const place = (element: HTMLElement | null): void => {
      if (element === null) return;
      element.style.transform = `translateY(${item.start - current.options.scrollMargin}px)`;
      current.measureElement(element);
    };
    const shown = { class: 'virtual-row', 'data-index': item.index, ref: place };
    return props.label === undefined ? (
      <div key={item.key} {...shown}>
        {row(item.index)}
      </div>
    ) : (
      <li key={item.key} {...shown}>
        {row(item.index)}
      </li>
    );
  });
  const keep = (element: HTMLElement | null): void => {
    ref.current = element;
  };
  return props.label === undefined ? (
    <div ref={keep} class={`virtual ${className}`}>
      {rows}
    </div>
  ) : (
    <ul ref={keep} class={`virtual ${className}`} aria-label={props.label}>
      {rows}
    </ul>
  );
}
