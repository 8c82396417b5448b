/** Formats that a browser shows without running anything. SVG is not among them: it can contain scripts. */
const MAGIC: readonly { readonly type: string; readonly matches: (bytes: Uint8Array) => boolean }[] = [
  {
    type: 'image/png',
    matches: (bytes) => startsWith(bytes, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
  },
  { type: 'image/jpeg', matches: (bytes) => startsWith(bytes, [0xff, 0xd8, 0xff]) },
  {
    type: 'image/webp',
    matches: (bytes) => hasText(bytes, 0, 'RIFF') && hasText(bytes, 8, 'WEBP'),
  },
  { type: 'image/gif', matches: (bytes) => hasText(bytes, 0, 'GIF87a') || hasText(bytes, 0, 'GIF89a') },
];

/** How many bytes `pictureType` looks at. */
export const MAGIC_BYTES = 12;

/** The media type of a picture, by its first bytes; null if it is none that the page shows. */
export function pictureType(firstBytes: Uint8Array): string | null {
  return MAGIC.find(({ matches }) => matches(firstBytes))?.type ?? null;
}

/** Whether the name says that it is a picture; only its bytes decide how it is sent. */
export function isPictureName(path: string): boolean {
  return /\.(?:png|jpe?g|webp|gif)$/i.test(path);
}

function startsWith(bytes: Uint8Array, magic: readonly number[]): boolean {
  return magic.every((byte, at) => bytes[at] === byte);
}

function hasText(bytes: Uint8Array, from: number, text: string): boolean {
  return Array.from(text).every((character, at) => bytes[from + at] === character.charCodeAt(0));
}
