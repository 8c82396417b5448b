import type { ComponentChildren, JSX } from 'preact';
import { useId } from 'preact/hooks';

export function Section({
  title,
  count = null,
  level = 2,
  end = null,
  children,
}: {
  readonly title: string;
  readonly count?: number | null;
  /** A screen has one heading of level 1. */
  readonly level?: 1 | 2;
  readonly end?: ComponentChildren;
  readonly children: ComponentChildren;
}): JSX.Element {
  const id = useId();
  return (
    <section class="section" aria-labelledby={id}>
      <div class="section-head">
        {level === 1 ? (
          <h1 class="section-title" id={id}>
            {title}
          </h1>
        ) : (
          <h2 id={id}>{title}</h2>
        )}
        {count === null ? null : <span class="count">{count}</span>}
        {end}
      </div>
      {children}
    </section>
  );
}
