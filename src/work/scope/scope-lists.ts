import type { ScopeEntry } from './scope-entry.ts';

export interface ScopeLists {
  /** Null where the body has no such section. */
  readonly inScope: readonly ScopeEntry[] | null;
  readonly outOfScope: readonly ScopeEntry[] | null;
}

/** The files that the body of a task names in its two lists. */
export function readScopeLists(markdown: string): ScopeLists {
  const lists: Record<'in' | 'out', ScopeEntry[] | null> = { in: null, out: null };
  let section: ScopeEntry[] | null = null;
  let fence: string | null = null;
  withoutComments(markdown).forEach((line, index) => {
    const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1] ?? null;
    if (fence !== null || mark !== null) {
      if (fence === null) fence = mark;
      else if (mark?.startsWith(fence) === true) fence = null;
      return;
    }
    const heading = /^ {0,3}#{1,6}\s+(.*?)\s*#*\s*$/.exec(line)?.[1];
    if (heading !== undefined) {
      const which = /^(in|out of) scope:?$/i.exec(heading)?.[1]?.toLowerCase();
      if (which === undefined) section = null;
      else section = lists[which === 'in' ? 'in' : 'out'] ??= [];
      return;
    }
    const item = /^\s*(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?(.+?)\s*$/.exec(line)?.[1];
    if (item !== undefined) section?.push(...entriesOf(item, index + 1));
  });
  return { inScope: lists.in, outOfScope: lists.out };
}

const LINE_LIMIT = 4096;

function withoutComments(markdown: string): readonly string[] {
  let rest = markdown;
  let kept = '';
  for (let start = rest.indexOf('<!--'); start >= 0; start = rest.indexOf('<!--')) {
    const end = rest.indexOf('-->', start + 4);
    if (end < 0) break;
    // Lines keep their numbers.
    kept += rest.slice(0, start) + rest.slice(start, end).replace(/[^\n]/g, '');
    rest = rest.slice(end + 3);
  }
  return `${kept}${rest}`.split(/\r\n|\r|\n/).map((line) => line.slice(0, LINE_LIMIT));
}

/** One path for each item, or several that stand in backticks behind one another. */
function entriesOf(item: string, line: number): ScopeEntry[] {
  const quoted = /^(?:`[^`]+`(?:\s*(?:,|and)\s*)?)+/.exec(item)?.[0];
  if (quoted !== undefined) {
    const note = noteOf(item.slice(quoted.length));
    return [...quoted.matchAll(/`([^`]+)`/g)].map(([, path = '']) => ({ path: path.trim(), note, line }));
  }
  const link = /^\[[^\]]*\]\(([^)\s]+)\)(.*)$/.exec(item);
  if (link !== null) return [{ path: link[1] ?? '', note: noteOf(link[2] ?? ''), line }];
  const [, path = item, note = ''] = /^(.+?)(\s+\(.*|\s+[-–—]+\s.*|:\s.*)?$/.exec(item) ?? [];
  if (/^(?:none|nothing|n\/a|-)\.?$/i.test(path)) return [];
  return [{ path: path.trim(), note: noteOf(note), line }];
}

function noteOf(text: string): string | null {
  const note = text.replace(/^[\s:–—-]+/, '').trim();
  return note === '' ? null : note;
}
