import { neutralise, plainText } from '../../text/outside-text.ts';

/** What a verb writes to: data on `out`, progress and prose on `err`. */
export interface Terminal {
  /** Text is neutralised, bytes are written as they are. */
  readonly out: (text: string | Uint8Array) => void;
  readonly err: (text: string) => void;
  readonly paint: Paint;
  /** Paint for stdout, which may be a pipe while stderr is a terminal. */
  readonly paintOut: Paint;
  /** Live output may rewrite lines of stderr. */
  readonly live: boolean;
  /** The same for stdout. */
  readonly liveOut: boolean;
  /** Stdout is a terminal. */
  readonly isOut: boolean;
  /** A person is there to be asked. */
  readonly interactive: boolean;
  readonly columns: () => number;
  readonly rows: () => number;
}

type Style = (text: string) => string;

export interface Paint {
  readonly bold: Style;
  readonly dim: Style;
  readonly red: Style;
  readonly green: Style;
  readonly yellow: Style;
  readonly blue: Style;
  readonly enabled: boolean;
}

interface TerminalOptions {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly env: NodeJS.ProcessEnv;
  readonly noInput: boolean;
}

export function createTerminal(options: TerminalOptions): Terminal {
  const { stdin, stdout, stderr, env } = options;
  // Any value counts here, `0` too: that is what the convention says.
  const plain = (env.NO_COLOR ?? '') !== '' || env.TERM === 'dumb';
  const automated = isSet(env.CI);
  return {
    out: (text) => void stdout.write(typeof text === 'string' ? guard(text, stdout.isTTY) : text),
    err: (text) => void stderr.write(guard(text, stderr.isTTY)),
    paint: createPaint(stderr.isTTY && !plain && !automated),
    paintOut: createPaint(stdout.isTTY && !plain && !automated),
    live: stderr.isTTY && !automated && env.TERM !== 'dumb',
    liveOut: stdout.isTTY && !automated && env.TERM !== 'dumb',
    isOut: stdout.isTTY,
    interactive: stdin.isTTY && stderr.isTTY && !automated && !options.noInput,
    // Some terminals do not know their size and say 0.
    columns: () => stderr.columns || stdout.columns || 80,
    rows: () => stdout.rows || 24,
  };
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '' && value !== '0' && value !== 'false';
}

function createPaint(enabled: boolean): Paint {
  const style = (open: number, close: number): Style =>
    enabled ? (text) => `\u001b[${open}m${text}\u001b[${close}m` : (text) => text;
  return {
    bold: style(1, 22),
    dim: style(2, 22),
    red: style(31, 39),
    green: style(32, 39),
    yellow: style(33, 39),
    blue: style(34, 39),
    enabled,
  };
}

const ESC = '\\u001b';
/**
 * What conductor itself writes to a terminal: its own colours, none of which hides text, and at the start what puts the
 * cursor back to rewrite lines.
 */
const OWN_SEQUENCE = new RegExp(
  `(^${ESC}\\[\\d+A\\r${ESC}\\[J|^\\r${ESC}\\[2K|${ESC}\\[(?:1|2|22|3[1-4]|39)m)`,
  'u',
);

/** Whatever a verb forgot to neutralise, a terminal does not obey. */
function guard(text: string, isTerminal: boolean): string {
  if (!isTerminal) return neutralise(text);
  return text
    .split(OWN_SEQUENCE)
    .map((part, index) => (index % 2 === 1 ? part : neutralise(part)))
    .join('');
}

/** How long a line may be behind an indentation; a pipe has no width. */
export function textWidth(terminal: Pick<Terminal, 'isOut' | 'columns'>, indent: number): number {
  return terminal.isOut ? Math.max(terminal.columns() - indent, 20) : Number.POSITIVE_INFINITY;
}

/** Text from outside may hold control sequences; a terminal must not obey them. */
export function printable(text: string): string {
  return plainText(text);
}

export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`;
  const seconds = ms / 1_000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} m ${String(Math.floor(seconds % 60)).padStart(2, '0')} s`;
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} m`;
}

/** How long ago something was, in its largest unit. A clock that was put back makes nothing younger than now. */
export function formatAge(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} m`;
  if (seconds < 172_800) return `${Math.floor(seconds / 3_600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}

/** Enough of a run id to name it: the time it was made, to the millisecond. */
export function shortId(runId: string): string {
  return runId.slice(0, 13);
}
