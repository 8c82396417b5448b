/** A file, a folder (ends in `/`) or a glob that a body lists. */
export interface ScopeEntry {
  /** Without backticks and without its note. */
  readonly path: string;
  readonly note: string | null;
  readonly line: number;
}

interface Reading {
  readonly entries: readonly Omit<ScopeEntry, 'line'>[];
  /** Whether no path was found: the text is for readers only. */
  readonly prose: boolean;
}

const NOTHING: Reading = { entries: [], prose: false };
const PROSE: Reading = { entries: [], prose: true };

const CHECKBOX = /^\[[ xX]\]\s+/;
const NONE = /^[(*_]*(?:none|n\/a|nothing|not applicable|-|–|—)[)*_]*(?:[.,;:]?$|[.,;:]?\s+[(–—-])/i;
const CODE = /^(`{1,3})(.+?)\1(?!`)/;
const NEXT_CODE = /^\s*(?:,|;|&|\+|->|→|\band\b|\bor\b)\s*(?:and\s+)?(?=`)/;
const LINK = /^\[`?([^\]`]+)`?\]\([^)]*\)/;
/** Stars at both ends are emphasis, unless they are the stars of a glob. */
const EMPHASIS = /^(\*\*|__|\*|_)(?!\/)([^*_\s][^*\s]*?)(?<!\/)\1(?=$|[\s:,;.(])/;
const NOTE = /\s+\(|\s+[–—]\s*|\s+--?\s+|:\s+/;

const EXTENSION = /\.[A-Za-z0-9]{1,8}$/;

/** The list that a line belongs to. */
export type ScopeList = 'in' | 'out';

/** Reads one line of a list. */
export function readScopeEntry(line: string, list: ScopeList): Reading {
  const text = line.replace(CHECKBOX, '').trim();
  if (text === '' || NONE.test(text)) return NOTHING;
  const quoted = readCode(text);
  if (quoted.length > 0) return { entries: quoted, prose: false };
  const marked = LINK.exec(text) ?? EMPHASIS.exec(text);
  const read =
    marked === null ? readPlain(text) : readMarked(marked.at(-1) ?? '', text.slice(marked[0].length));
  return read.prose ? readSentence(text, list) : read;
}

const EXCEPTION = /\b(?:except|other than|outside|besides|apart from|unless|beyond|instead)\b/i;
const NEGATION = /\b(?:not|never|no|without)\b|n['’]t\b/i;
/** Bounded, because the text is untrusted. */
const NAMED_PATH =
  /`([^`\s/][^`\s]{0,400})`|(?<![\w./`@-])((?:[\w.@-]{1,100}\/){1,40}[\w.@-]{0,100}\w\.[A-Za-z]\w{0,7})(?![\w/`])/g;

/** `the parser in src/a.ts` names a file; `all but src/a.ts` does not name the files it covers. */
export function readSentence(text: string, list: ScopeList): Reading {
  if (EXCEPTION.test(text) || (list === 'in' && NEGATION.test(text))) return PROSE;
  const paths = [...text.matchAll(NAMED_PATH)]
    .map(([, quoted, plain]) => quoted ?? plain ?? '')
    .filter((path) => path.includes('/'));
  return paths.length === 0 ? PROSE : { entries: paths.map((path) => createEntry(path, text)), prose: false };
}

/** Whether a line contains nothing but a path. */
export function isLonePath(line: string): boolean {
  const text = line.trim();
  return CODE.test(text) || (/^\S+$/.test(text) && looksLikePath(text));
}

function readCode(text: string): readonly Omit<ScopeEntry, 'line'>[] {
  const paths: string[] = [];
  let rest = text;
  for (let found = CODE.exec(rest); found !== null; found = CODE.exec(rest)) {
    paths.push(found[2] ?? '');
    rest = rest.slice(found[0].length);
    const next = NEXT_CODE.exec(rest);
    if (next === null) break;
    rest = rest.slice(next[0].length);
  }
  const note = parseNote(rest);
  return paths.map((path) => createEntry(path, note));
}

function readMarked(inner: string, rest: string): Reading {
  const path = inner.replace(/:$/, '');
  return looksLikePath(path) ? { entries: [createEntry(path, parseNote(rest))], prose: false } : PROSE;
}

function readPlain(text: string): Reading {
  const cut = NOTE.exec(text);
  const head = (cut === null ? text : text.slice(0, cut.index)).replace(/(?<=\S)[,;:.]$/, '');
  const note = cut === null ? null : parseNote(text.slice(cut.index));
  if (!/\s/.test(head)) {
    // A word with a colon is the heading of a list.
    if (text.endsWith(':') && !looksLikePath(head)) return PROSE;
    return { entries: [createEntry(head, note)], prose: false };
  }
  const several = head.split(/,\s+|\s+and\s+/);
  if (several.length > 1 && several.every((one) => !/\s/.test(one) && looksLikePath(one)))
    return { entries: several.map((path) => createEntry(path, note)), prose: false };
  const [first = ''] = head.split(/\s/);
  if (isCertainPath(first))
    return { entries: [createEntry(first, parseNote(text.slice(first.length)))], prose: false };
  // File names with a space, as in `docs/my page.md`.
  if (first.includes('/') && EXTENSION.test(head))
    return { entries: [createEntry(head, note)], prose: false };
  return PROSE;
}

function looksLikePath(word: string): boolean {
  return isCertainPath(word) || word.includes('/') || /^\.[A-Za-z]/.test(word);
}

function isCertainPath(word: string): boolean {
  return EXTENSION.test(word) || /[^/]\/$/.test(word) || /[*?]/.test(word);
}

function createEntry(path: string, note: string | null): Omit<ScopeEntry, 'line'> {
  const plain = path.trim().replace(/^(?:\.\/)+(?=.)/, '');
  return { path: plain, note };
}

function parseNote(rest: string): string | null {
  const bare = rest.trim().replace(/^(?:[–—:,;]|--?(?=\s))\s*/, '');
  const note = /^\((.*)\)[.,;]?$/s.exec(bare)?.[1] ?? bare;
  return note.trim() === '' ? null : note.trim();
}
