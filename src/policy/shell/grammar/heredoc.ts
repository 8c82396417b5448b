import { giveUp, type Heredoc, isAtEnd, type LineCursor, mask, nest } from './line-cursor.ts';
import { readQuotedPart } from './read-word.ts';
import { quotedWord, type Word } from './shell-word.ts';
import { createDraft, wordOf } from './word-draft.ts';

/** Reads the here-document bodies announced on the line before the cursor. */
export function takeHeredocs(cursor: LineCursor): void {
  for (const heredoc of cursor.heredocs.splice(0)) takeBody(cursor, heredoc);
}

function takeBody(cursor: LineCursor, heredoc: Heredoc): void {
  const start = cursor.at;
  for (let line = start; line <= cursor.source.length; ) {
    const found = cursor.source.indexOf('\n', line);
    const end = found < 0 ? cursor.source.length : found;
    const text = cursor.source.slice(line, end);
    if ((heredoc.stripTabs ? text.replace(/^\t+/, '') : text) === heredoc.delimiter) {
      if (!heredoc.literal && isContinued(cursor.source, start, line)) break;
      heredoc.body.word = heredoc.literal
        ? literalBody(cursor.source.slice(start, line), heredoc)
        : readExpansions(cursor, line);
      mask(cursor, start, line);
      cursor.at = end;
      return;
    }
    if (found < 0) break;
    line = end + 1;
  }
  giveUp(cursor, 'a here-document is not closed');
}

/** Whether a backslash joins the next line to this one, so that some shells don't see a delimiter. */
function isContinued(source: string, start: number, line: number): boolean {
  let first = line - 1;
  while (first > start && source[first - 1] === '\\') first -= 1;
  return (line - 1 - first) % 2 === 1;
}

function literalBody(text: string, { stripTabs }: Heredoc): Word {
  return quotedWord(stripTabs ? text.replaceAll(/^\t+/gm, '') : text);
}

/** With an unquoted delimiter, the shell expands the body, including command substitutions. */
function readExpansions(cursor: LineCursor, end: number): Word {
  const draft = { ...createDraft(), quoted: true };
  const start = cursor.at;
  nest(cursor, () => {
    while (!isAtEnd(cursor) && cursor.at < end) readQuotedPart(cursor, draft, end);
  });
  return wordOf(draft, cursor.source.slice(start, end));
}
