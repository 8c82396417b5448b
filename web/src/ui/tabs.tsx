import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';

export interface Tab<Id extends string> {
  readonly id: Id;
  readonly label: string;
  /** A count or short result behind the label. */
  readonly note?: string;
}

/** Tabs by the pattern of the ARIA practices: arrow keys move, and the panel follows. */
export function Tabs<Id extends string>({
  label,
  tabs,
  selected,
  panelId,
  onSelect,
}: {
  readonly label: string;
  readonly tabs: readonly Tab<Id>[];
  readonly selected: Id;
  readonly panelId: string;
  readonly onSelect: (id: Id) => void;
}): JSX.Element {
  const ref = useRef<HTMLDivElement>(null);
  const move = (event: KeyboardEvent): void => {
    const at = tabs.findIndex(({ id }) => id === selected);
    const next = nextIndex(event.key, at, tabs.length);
    const tab = next === null ? undefined : tabs[next];
    if (next === null || tab === undefined) return;
    event.preventDefault();
    onSelect(tab.id);
    ref.current?.querySelectorAll<HTMLElement>('[role=tab]')[next]?.focus();
  };
  return (
    <div ref={ref} class="tabs" role="tablist" aria-label={label} onKeyDown={move}>
      {tabs.map(({ id, label: text, note }) => (
        <button
          key={id}
          type="button"
          role="tab"
          id={`${panelId}-${id}`}
          aria-selected={id === selected}
          aria-controls={panelId}
          tabIndex={id === selected ? 0 : -1}
          onClick={() => onSelect(id)}
        >
          {text}
          {note === undefined ? null : <span class="tab-note number">{note}</span>}
        </button>
      ))}
    </div>
  );
}

function nextIndex(key: string, at: number, length: number): number | null {
  switch (key) {
    case 'ArrowRight':
      return (at + 1) % length;
    case 'ArrowLeft':
      return (at + length - 1) % length;
    case 'Home':
      return 0;
    case 'End':
      return length - 1;
    default:
      return null;
  }
}
