import { findHidden } from '../../text/outside-text.ts';
import { blankText, type CodeLanguage, type CodeText, indexLines, languageOf } from './code-text.ts';
import { type ContentNote, newNotes } from './content-note.ts';
import { excerptAt, findUnfinished } from './stubs.ts';
import { findSkips, readCaseNames } from './test-cases.ts';

/**
 * Code that catches an error and ignores it. Matched on text without comments, so a comment doesn't count as
 * handling.
 */
const FORMS: Readonly<Record<CodeLanguage['name'], readonly RegExp[]>> = {
  js: [
    /\bcatch\s*(?:\([^(){}]{0,300}\)\s*)?\{\s*\}/g,
    /\.catch\s*\(\s*(?:async\s*)?(?:\([^()]{0,300}\)|[\w$]*)\s*=>\s*(?:\{\s*\}|undefined|null|void 0|\(\s*\{\s*\}\s*\))\s*,?\s*\)/g,
    /\.catch\s*\(\s*function\s*\w*\s*\([^()]{0,300}\)\s*\{\s*\}\s*\)/g,
    /\.catch\s*\(\s*noop\s*\)/g,
  ],
  go: [
    /\bif\s+(?:[^{}\n;]{0,300};\s*)?err\s*!=\s*nil\s*\{\s*\}/g,
    /^[ \t]*_\s*=\s*err\b/gm,
    /\brecover\s*\(\s*\)\s*\}\s*\(\s*\)/g,
  ],
  rust: [
    /\bErr\s*\(\s*_\w*\s*\)\s*=>\s*(?:\{\s*\}|\(\s*\))/g,
    /\bif\s+let\s+Err\s*\([^()]{0,300}\)\s*=[^{};]{0,300}\{\s*\}/g,
    /^[ \t]*let\s+_\s*=[^;]{0,300};/gm,
  ],
  java: [/\bcatch\s*\([^(){}]{0,300}\)\s*\{\s*\}/g],
  c: [/\bcatch\s*\([^(){}]{0,300}\)\s*\{\s*\}/g],
  csharp: [/\bcatch\s*(?:\([^(){}]{0,300}\)\s*)?\{\s*\}/g],
  php: [/\bcatch\s*\([^(){}]{0,300}\)\s*\{\s*\}/g],
  swift: [/\bcatch\b[^{}]{0,300}\{\s*\}/g],
  python: [
    /^[ \t]*except\b[^:\n]*:\s*(?:pass|\.\.\.|continue|return None|return)[ \t]*$/gm,
    /\bcontextlib\.suppress\s*\(|\bwith\s+suppress\s*\(/g,
  ],
  ruby: [/^[ \t]*rescue\b[^\n]*\n\s*(?:nil\s*\n\s*)?end\b/gm, /\brescue\s+nil\b/g],
  shell: [/\|\|\s*(?:true|:)(?=\s|;|$)/gm, /^[ \t]*set\s+\+e\b/gm],
};

function findSwallowedErrors({ bare, code, lineOf }: CodeText, { name }: CodeLanguage): ContentNote[] {
  const places = FORMS[name].flatMap((form) => [...bare.matchAll(form)].map(firstCharacter));
  return [...new Set(places)]
    .sort((a, b) => a - b)
    .map((at) => ({ kind: 'swallowed_error', line: lineOf(at), text: excerptAt(code, at) }));
}

/** The offset of the first visible character: a match may start with white space. */
function firstCharacter(match: RegExpExecArray): number {
  return match.index + (match[0].length - match[0].trimStart().length);
}

/** A changed file with its previous and its current text; null if the file is missing, binary or too large. */
export interface ChangedText {
  readonly path: string;
  readonly before: string | null;
  readonly now: string | null;
  readonly isTest: boolean;
}

export interface PlacedNote extends ContentNote {
  readonly path: string;
}

/**
 * The notes that a reviewer should see, by file in the given order. Notes that applied before the change are
 * omitted.
 */
export function findContentNotes(files: readonly ChangedText[]): PlacedNote[] {
  const deletedCases = missingCases(files);
  return files.flatMap(({ path, before, now, isTest }, index) => [
    ...newNotes(notesOf(path, before, isTest), notesOf(path, now, isTest)).map((note) => ({ path, ...note })),
    ...(deletedCases[index] ?? []).map((name) => ({
      path,
      kind: 'deleted_case' as const,
      line: null,
      text: name,
    })),
    ...emptiedNotes(before, now).map((note) => ({ path, ...note })),
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
    // Rust tests are in the same file as the code they check.
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

/** A file that lost all of its content. A new empty file is fine: it can mark a package or keep a folder. */
function emptiedNotes(before: string | null, now: string | null): ContentNote[] {
  if (now === null || now.trim() !== '' || before === null || before.trim() === '') return [];
  return [{ kind: 'empty_file', line: null, text: 'is empty now' }];
}

/** For each file, the test cases it had that are in no changed file any more: a moved case isn't deleted. */
function missingCases(files: readonly ChangedText[]): string[][] {
  const remaining = new Map<string, number>();
  for (const { path, now } of files)
    for (const name of findCaseNames(path, now)) remaining.set(name, (remaining.get(name) ?? 0) + 1);
  return files.map(({ path, before, isTest }) =>
    findCaseNames(path, before).filter((name) => {
      const count = remaining.get(name) ?? 0;
      remaining.set(name, count - 1);
      return count <= 0 && (isTest || path.endsWith('.rs'));
    }),
  );
}

function findCaseNames(path: string, text: string | null): string[] {
  const language = text === null ? null : languageOf(path, text);
  return text === null || language === null ? [] : readCaseNames(blankText(text, language), language);
}
