/** A finding about the content of a changed file that a reviewer should see before accepting it. */
export interface ContentNote {
  readonly kind: NoteKind;
  /** From 1, in the current file; null if the note is about the whole file or about deleted content. */
  readonly line: number | null;
  readonly text: string;
}

export const NOTE_KINDS = [
  'hidden_characters',
  'skipped_case',
  'deleted_case',
  'swallowed_error',
  'stub',
  'unfinished',
  'empty_file',
  'same_program',
] as const;
export type NoteKind = (typeof NOTE_KINDS)[number];

/** The notes about the current text that did not apply to the previous text. Lines may have moved. */
export function newNotes(before: readonly ContentNote[], now: readonly ContentNote[]): ContentNote[] {
  const remaining = new Map<string, number>();
  for (const note of before) remaining.set(keyOf(note), (remaining.get(keyOf(note)) ?? 0) + 1);
  return now.filter((note) => {
    const count = remaining.get(keyOf(note)) ?? 0;
    remaining.set(keyOf(note), count - 1);
    return count <= 0;
  });
}

function keyOf({ kind, text }: ContentNote): string {
  return `${kind} ${text}`;
}
