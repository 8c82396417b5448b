import type { JSX } from 'preact';
import { countOf } from '../text/numbers.ts';

const SHOWN_PARTS = 2;

/** What confirms or contradicts something: a list in one line, which may have hundreds of parts. */
export function EvidenceText({ text }: { readonly text: string }): JSX.Element {
  const parts = text.split('; ');
  if (parts.length <= SHOWN_PARTS + 1) return <>{text}</>;
  const rest = parts.slice(SHOWN_PARTS);
  return (
    <>
      {parts.slice(0, SHOWN_PARTS).join('; ')}
      <details class="more">
        <summary>{countOf(rest.length, 'more', 'more')}</summary>
        <ul>
          {rest.map((part) => (
            <li key={part}>{part}</li>
          ))}
        </ul>
      </details>
    </>
  );
}
