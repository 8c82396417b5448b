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
  const close = useRef(onClose);
  close.current = onClose;
  useEffect(() => {
    const dialog = ref.current;
    // A click on the backdrop has the dialog itself as its target.
    const onClick = (event: Event): void => {
      if (event.target === dialog) close.current();
    };
    dialog?.addEventListener('click', onClick);
    dialog?.showModal();
    return () => {
      dialog?.removeEventListener('click', onClick);
      dialog?.close();
    };
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
    >
      {children}
    </dialog>
  );
}
