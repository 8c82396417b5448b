import type { Diagnostic } from './diagnostic.ts';

/** For readers that show one text per diagnostic: without notes and help it would not say what to do. */
export function fullMessage({ message, notes, help }: Diagnostic): string {
  const tail = [...notes.map((note) => `note: ${note}`), ...(help === null ? [] : [`help: ${help}`])];
  return [message, ...tail].join('\n');
}
