/**
 * The text of the tables of a TOML file whose name starts with a prefix: `tool.pytest` selects
 * `[tool.pytest.ini_options]`. Comments and blank lines don't count. Null if there is no such table. Parses only
 * what it needs to find the tables: keys, headers, and the ends of multi-line values.
 */
export function tomlTables(text: string, prefix: string): string | null {
  const wanted = prefix.split('.');
  const kept: string[] = [];
  let table: readonly string[] = [];
  let open: OpenValue = CLOSED;
  let keeps = false;
  for (const line of text.replace(/\r\n/g, '\n').split('\n')) {
    const inside = open.quote !== '' || open.depth > 0;
    if (!inside) {
      if (line.trim() === '' || line.trim().startsWith('#')) continue;
      const header = /^\s*\[\[?([^[\]]+)\]\]?\s*(?:#.*)?$/.exec(line)?.[1];
      if (header !== undefined) {
        table = keysOf(header);
        keeps = startsWithKeys(table, wanted);
        if (keeps) kept.push(`[${table.join('.')}]`);
        continue;
      }
      keeps = startsWithKeys([...table, ...keysOf(/^([^=]*)=/.exec(line)?.[1] ?? '')], wanted);
    }
    if (keeps) kept.push(line.trim());
    open = stateAfterLine(line, open);
  }
  return kept.length === 0 ? null : kept.join('\n');
}

function startsWithKeys(name: readonly string[], wanted: readonly string[]): boolean {
  return wanted.every((part, index) => name[index] === part);
}

function keysOf(text: string): string[] {
  return [...text.matchAll(/"([^"]*)"|'([^']*)'|([\w-]+)/g)].map(
    ([, double, single, bare]) => double ?? single ?? bare ?? '',
  );
}

interface OpenValue {
  /** The closing quotes of an unfinished multi-line string. */
  readonly quote: '' | '"""' | "'''";
  /** Unclosed brackets of an array or an inline table. */
  readonly depth: number;
}

const CLOSED: OpenValue = { quote: '', depth: 0 };

function stateAfterLine(line: string, { quote, depth }: OpenValue): OpenValue {
  let at = 0;
  let level = depth;
  if (quote !== '') {
    const end = line.indexOf(quote);
    if (end < 0) return { quote, depth };
    at = end + 3;
  }
  while (at < line.length) {
    const three = line.slice(at, at + 3);
    const char = line[at] ?? '';
    if (three === '"""' || three === "'''") {
      const end = line.indexOf(three, at + 3);
      if (end < 0) return { quote: three, depth: level };
      at = end + 3;
    } else if (char === '"' || char === "'") at = endOfString(line, at);
    else if (char === '#') break;
    else {
      if (char === '[' || char === '{') level += 1;
      if (char === ']' || char === '}') level -= 1;
      at += 1;
    }
  }
  return { quote: '', depth: Math.max(0, level) };
}

function endOfString(line: string, start: number): number {
  const quote = line[start];
  for (let at = start + 1; at < line.length; at += 1) {
    if (line[at] === '\\' && quote === '"') at += 1;
    else if (line[at] === quote) return at + 1;
  }
  return line.length;
}
