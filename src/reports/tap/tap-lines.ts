/** A meaningful line of TAP; all other lines are ignored output. */
export type TapLine =
  | { readonly kind: 'version' }
  | { readonly kind: 'plan'; readonly count: number; readonly skipReason: string | null }
  | { readonly kind: 'bail'; readonly reason: string }
  | { readonly kind: 'duration'; readonly ms: number }
  /** Some runners put a subtest in braces after its summary point. */
  | { readonly kind: 'open' | 'close' }
  | TapPoint;

export interface TapPoint {
  readonly kind: 'point';
  readonly ok: boolean;
  /** Null if the runner doesn't number its points. */
  readonly number: number | null;
  readonly name: string;
  readonly directive: 'skip' | 'todo' | null;
  readonly reason: string;
  /** From a comment on its line. */
  readonly durationMs: number | null;
  /** Its subtest follows. */
  readonly opens: boolean;
}

export function readTapLine(text: string): TapLine | null {
  const point = /^(not )?ok\b(?:[ \t]+(\d+)(?!\S))?(?:[ \t]+-)?(?:[ \t]+(.*))?$/.exec(text);
  if (point !== null) {
    const number = point[2] === undefined ? null : Number(point[2]);
    return readPoint(point[1] === undefined, number, point[3] ?? '');
  }
  if (text === '{' || text === '}') return { kind: text === '{' ? 'open' : 'close' };
  const [, plan, skipReason] = /^1\.\.(\d{1,9})(?:\s*#\s*skip\S*\s*(.*)|\s.*)?$/i.exec(text) ?? [];
  if (plan !== undefined)
    return { kind: 'plan', count: Number(plan), skipReason: skipReason?.trim() ?? null };
  const bail = /^Bail out!\s*(.*)$/i.exec(text)?.[1];
  if (bail !== undefined) return { kind: 'bail', reason: bail };
  const duration = /^# duration_ms (\d+(?:\.\d+)?)\s*$/.exec(text)?.[1];
  if (duration !== undefined) return { kind: 'duration', ms: Number(duration) };
  return /^TAP version 1[234]\s*$/.test(text) ? { kind: 'version' } : null;
}

/** A directive starts at an unescaped `#` followed by `skip` or `todo`. */
function readPoint(ok: boolean, number: number | null, text: string): TapPoint {
  const opens = /(?:^|\s)\{$/.test(text);
  const line = (opens ? text.slice(0, -1) : text).trim();
  const timed = /(?<!\\)#\s*time=(\d+(?:\.\d+)?)(ms|s)$/.exec(line);
  const rest = timed === null ? line : line.slice(0, timed.index).trim();
  const found = /^(.*?)(?<!\\)#\s*(skip|todo)(?:ped|ping)?(?![\w-])\S*(?:\s+(.*))?$/i.exec(rest);
  const word = found?.[2]?.toLowerCase();
  return {
    kind: 'point',
    ok,
    number,
    name: unescapeText((found?.[1] ?? rest).trim()),
    directive: word === 'skip' || word === 'todo' ? word : null,
    reason: unescapeText((found?.[3] ?? '').trim()),
    durationMs: timed === null ? null : Number(timed[1]) * (timed[2] === 's' ? 1000 : 1),
    opens,
  };
}

function unescapeText(text: string): string {
  return text.replace(/\\([\\#])/g, '$1');
}

/** The top-level keys of a YAML block as text; nothing else in it is needed. */
export function readDiagnostics(lines: readonly string[]): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  let key: string | null = null;
  const first = lines.find((line) => line.trim() !== '') ?? '';
  // Some runners indent the keys more than the delimiters.
  const margin = first.length - first.trimStart().length;
  for (const whole of lines) {
    const line = whole.slice(Math.min(margin, whole.length - whole.trimStart().length));
    const start = /^([A-Za-z_][\w.-]*):(?:\s+(.*))?$/.exec(line);
    if (start?.[1] !== undefined) {
      key = start[1];
      values.set(key, readScalar(start[2] ?? ''));
    } else if (key !== null) {
      const piece = line.replace(/^ {1,2}/, '');
      const before = values.get(key) ?? '';
      values.set(key, before === '' ? piece : `${before}\n${piece}`);
    }
  }
  return values;
}

function readScalar(text: string): string {
  const plain = text.trim();
  if (/^[|>][+-]?\d?$/.test(plain)) return '';
  if (/^'.*'$/s.test(plain)) return plain.slice(1, -1).replaceAll("''", "'").replaceAll('\\n', '\n');
  if (/^".*"$/s.test(plain)) return plain.slice(1, -1).replaceAll('\\n', '\n').replaceAll('\\"', '"');
  return plain === '~' || plain === 'null' ? '' : plain;
}
