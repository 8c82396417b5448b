/**
 * Hidden markers tie what conductor writes on a forge to what it records. A marker is an HTML comment, which forges keep and
 * do not show. It proves nothing about its author: a reader also checks who wrote the text.
 */
export type MarkerKind = 'run' | 'item' | 'revision' | 'review' | 'summary' | 'note' | 'blocked-by';

const VALUE = /^[A-Za-z0-9][A-Za-z0-9._:/,@-]*$/;

export function formatMarker(kind: MarkerKind, value: string): string {
  if (!VALUE.test(value)) throw new Error(`${JSON.stringify(value)} can't be the value of a marker`);
  return `<!-- conductor:${kind} ${value} -->`;
}

/** The value of the last marker of this kind; null if there is none. */
export function readMarker(kind: MarkerKind, text: string): string | null {
  const found = [...text.matchAll(/<!-- conductor:([a-z-]+) (\S+) -->/g)].filter(([, each]) => each === kind);
  const value = found.at(-1)?.[2];
  return value !== undefined && VALUE.test(value) ? value : null;
}

/** Takes markers out of a text from outside, so that it can't pass as another. */
export function withoutMarkers(text: string): string {
  return text.replace(/<!--\s*conductor:/gi, '<!- conductor:');
}
