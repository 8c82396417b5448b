import type { ComponentChildren, JSX } from 'preact';

/** A part of the gate's screen, with its heading. */
export function GateBlock({
  title,
  note = null,
  children,
}: {
  readonly title: string;
  readonly note?: ComponentChildren;
  readonly children: ComponentChildren;
}): JSX.Element {
  return (
    <section class="gate-block">
      <div class="block-head">
        <h2>{title}</h2>
        {note}
      </div>
      {children}
    </section>
  );
}
