import type { JSX } from 'preact';

/** A link to another site. A record can hold any text, so only an address of the web becomes a link. */
export function WebLink({ url, text }: { readonly url: string; readonly text: string }): JSX.Element {
  if (!/^https?:\/\//i.test(url)) return <span>{url}</span>;
  return (
    <a href={url} rel="noreferrer" target="_blank">
      {text}
    </a>
  );
}
