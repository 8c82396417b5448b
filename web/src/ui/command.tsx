import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { announce } from './announcer.tsx';
import { Icon } from './icon.tsx';

/** The command that does what the page does here, ready to copy. */
export function Command({ text }: { readonly text: string }): JSX.Element {
  const [copied, setCopied] = useState(false);
  const code = useRef<HTMLElement>(null);
  const copy = async (): Promise<void> => {
    const isCopied = await copyText(text);
    setCopied(isCopied);
    if (isCopied) announce('Command copied.');
    else if (code.current !== null) {
      // Over plain HTTP to another address than loopback, browsers have no clipboard for pages.
      getSelection()?.selectAllChildren(code.current);
      announce('Command selected. Copy it with your browser.');
    }
  };
  return (
    <span class="command">
      <code ref={code}>{text}</code>
      <button type="button" class="button-quiet" onClick={() => void copy()} onBlur={() => setCopied(false)}>
        <Icon name={copied ? 'check' : 'copy'} />
        <span class="sr-only">{copied ? 'Copied' : `Copy command: ${text}`}</span>
      </button>
    </span>
  );
}

export function Commands({ commands }: { readonly commands: readonly string[] }): JSX.Element | null {
  if (commands.length === 0) return null;
  return (
    <section class="commands" aria-label="The same on the command line">
      {commands.map((text) => (
        <Command key={text} text={text} />
      ))}
    </section>
  );
}

async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
