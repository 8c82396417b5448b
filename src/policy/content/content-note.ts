/** Something about the content of a changed file that a person should see before they accept it. */
export interface ContentNote {
  readonly kind: NoteKind;
  /** From 1, in the file as it is now; null where the note is about the whole file or about what is gone. */
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

/** The notes about the text as it is now that were not true of the text before. Lines may have moved. */
export function newNotes(before: readonly ContentNote[], now: readonly ContentNote[]): ContentNote[] {
  const left = new Map<string, number>();
  for (const note of before) left.set(keyOf(note), (left.get(keyOf(note)) ?? 0) + 1);
  return now.filter((note) => {
    const count = left.get(keyOf(note)) ?? 0;
    left.set(keyOf(note), count - 1);
    return count <= 0;
  });
}

function keyOf({ kind, text }: ContentNote): string {
  return `${kind} ${text}`;
}
