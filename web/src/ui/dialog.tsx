import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** A modal dialog. The browser keeps the focus inside, closes it with Escape and returns the focus. */
export function Dialog({
  label,
  onClose,
  className = '',
  children,
}: {
  readonly label: string;
  readonly onClose: () => void;
  readonly className?: string;
  readonly children: ComponentChildren;
}): JSX.Element {
  const ref = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = ref.current;
    dialog?.showModal();
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={ref}
      class={`dialog ${className}`}
      aria-label={label}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        // A click on the backdrop has the dialog itself as its target.
        if (event.target === ref.current) onClose();
      }}
    >
      {children}
    </dialog>
  );
}
