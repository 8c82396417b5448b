import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { announce } from './announcer.tsx';
import { Icon } from './icon.tsx';

/** The command that does what the page does here, ready to copy. */
export function Command({ text }: { readonly text: string }): JSX.Element {
  const [copied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    const isCopied = await copyText(text);
    setCopied(isCopied);
    announce(isCopied ? 'Command copied.' : 'The browser refused to copy.');
  };
  return (
    <span class="command">
      <code>{text}</code>
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

/** Over plain HTTP to another address than loopback, browsers have no clipboard interface; selecting still works. */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement('textarea');
    area.value = text;
    area.className = 'sr-only';
    document.body.append(area);
    area.select();
    const isCopied = document.execCommand('copy');
    area.remove();
    return isCopied;
  }
}
