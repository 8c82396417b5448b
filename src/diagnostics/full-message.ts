import type { Diagnostic } from './diagnostic.ts';

/** Message, notes and help in one text, for tools that show a single text per diagnostic. */
export function fullMessage({ message, notes, help }: Diagnostic): string {
  const tail = [...notes.map((note) => `note: ${note}`), ...(help === null ? [] : [`help: ${help}`])];
  return [message, ...tail].join('\n');
}
