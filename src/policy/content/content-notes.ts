import { findHidden } from '../../text/outside-text.ts';
import { blankText, type CodeLanguage, indexLines, languageOf } from './code-text.ts';
import { type ContentNote, newNotes } from './content-note.ts';
import { findUnfinished } from './stubs.ts';
import { findSwallowedErrors } from './swallowed-errors.ts';
import { caseNames, findSkips } from './test-cases.ts';

/** A changed file with its text before and now; null where there is none, or where it is no text or too large. */
export interface ChangedText {
  readonly path: string;
  readonly before: string | null;
  readonly now: string | null;
  readonly isTest: boolean;
}

export interface PlacedNote extends ContentNote {
  readonly path: string;
}

/** What a person should see of the content of a change, by file in the given order. Notes that were true before are left out. */
export function findContentNotes(files: readonly ChangedText[]): PlacedNote[] {
  const gone = missingCases(files);
  return files.flatMap(({ path, before, now, isTest }, index) => [
    ...newNotes(notesOf(path, before, isTest), notesOf(path, now, isTest)).map((note) => ({ path, ...note })),
    ...(gone[index] ?? []).map((name) => ({ path, kind: 'deleted_case' as const, line: null, text: name })),
    ...emptied(before, now).map((note) => ({ path, ...note })),
  ]);
}

function notesOf(path: string, text: string | null, isTest: boolean): ContentNote[] {
  if (text === null) return [];
  const language = languageOf(path, text);
  return [...hiddenNotes(text), ...(language === null ? [] : codeNotes(text, language, isTest))];
}

function codeNotes(text: string, language: CodeLanguage, isTest: boolean): ContentNote[] {
  const code = blankText(text, language);
  return [
    // Tests of Rust stand beside the code that they check.
    ...(isTest || language.name === 'rust' ? findSkips(code, language) : []),
    ...findSwallowedErrors(code, language),
    ...(isTest ? [] : findUnfinished(text, code, language)),
  ];
}

function hiddenNotes(text: string): ContentNote[] {
  const found = findHidden(text);
  if (found.length === 0) return [];
  const lineOf = indexLines(text);
  const byLine = new Map<number, string[]>();
  for (const { index, shown } of found) {
    const line = lineOf(index);
    byLine.set(line, [...(byLine.get(line) ?? []), shown]);
  }
  return [...byLine].map(([line, escapes]) => ({
    kind: 'hidden_characters',
    line,
    text: [...new Set(escapes)].join(' '),
  }));
}

/** A file that is there and says nothing. A new empty file is fine: packages and folders are marked by one. */
function emptied(before: string | null, now: string | null): ContentNote[] {
  if (now === null || now.trim() !== '' || before === null || before.trim() === '') return [];
  return [{ kind: 'empty_file', line: null, text: 'is empty now' }];
}

/** By file, the cases it had that are in no changed file any more: a case that was moved is not gone. */
function missingCases(files: readonly ChangedText[]): string[][] {
  const left = new Map<string, number>();
  for (const { path, now } of files)
    for (const name of namesIn(path, now)) left.set(name, (left.get(name) ?? 0) + 1);
  return files.map(({ path, before, isTest }) =>
    namesIn(path, before).filter((name) => {
      const count = left.get(name) ?? 0;
      left.set(name, count - 1);
      return count <= 0 && (isTest || path.endsWith('.rs'));
    }),
  );
}

function namesIn(path: string, text: string | null): string[] {
  const language = text === null ? null : languageOf(path, text);
  return text === null || language === null ? [] : caseNames(blankText(text, language), language);
}
