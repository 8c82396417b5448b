/** A line of TAP that means something; all others are noise between them. */
export type TapLine =
  | { readonly kind: 'version' }
  | { readonly kind: 'plan'; readonly count: number; readonly skipReason: string | null }
  | { readonly kind: 'bail'; readonly reason: string }
  | { readonly kind: 'duration'; readonly ms: number }
  /** Some runners put a subtest in braces behind the point that sums it up. */
  | { readonly kind: 'open' | 'close' }
  | TapPoint;

export interface TapPoint {
  readonly kind: 'point';
  readonly ok: boolean;
  /** Null where the runner leaves the counting to the reader. */
  readonly number: number | null;
  readonly name: string;
  readonly directive: 'skip' | 'todo' | null;
  readonly reason: string;
  /** As a comment of its line tells it. */
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

/** A directive begins at a `#` that is not escaped and has one of two words behind it. */
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
    name: unescaped((found?.[1] ?? rest).trim()),
    directive: word === 'skip' || word === 'todo' ? word : null,
    reason: unescaped((found?.[3] ?? '').trim()),
    durationMs: timed === null ? null : Number(timed[1]) * (timed[2] === 's' ? 1000 : 1),
    opens,
  };
}

function unescaped(text: string): string {
  return text.replace(/\\([\\#])/g, '$1');
}

/** The top-level keys of a YAML block as text, which is all that is needed of it. */
export function readDiagnostics(lines: readonly string[]): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  let key: string | null = null;
  const first = lines.find((line) => line.trim() !== '') ?? '';
  // Some runners indent the keys more than the signs around them.
  const margin = first.length - first.trimStart().length;
  for (const whole of lines) {
    const line = whole.slice(Math.min(margin, whole.length - whole.trimStart().length));
    const start = /^([A-Za-z_][\w.-]*):(?:\s+(.*))?$/.exec(line);
    if (start?.[1] !== undefined) {
      key = start[1];
      values.set(key, scalar(start[2] ?? ''));
    } else if (key !== null) {
      const piece = line.replace(/^ {1,2}/, '');
      const before = values.get(key) ?? '';
      values.set(key, before === '' ? piece : `${before}\n${piece}`);
    }
  }
  return values;
}

function scalar(text: string): string {
  const plain = text.trim();
  if (/^[|>][+-]?\d?$/.test(plain)) return '';
  if (/^'.*'$/s.test(plain)) return plain.slice(1, -1).replaceAll("''", "'").replaceAll('\\n', '\n');
  if (/^".*"$/s.test(plain)) return plain.slice(1, -1).replaceAll('\\n', '\n').replaceAll('\\"', '"');
  return plain === '~' || plain === 'null' ? '' : plain;
}
