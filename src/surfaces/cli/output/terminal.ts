import { cleanOutput, escapeUnsafe } from '../../../text/outside-text.ts';
import { wrapLine } from '../../../text/wrap-line.ts';

/** The output of a command: data goes to `out`, progress and messages go to `err`. */
export interface Terminal {
  /** Text is neutralised, bytes are written as they are. */
  readonly out: (text: string | Uint8Array) => void;
  readonly err: (text: string) => void;
  /** Like `out`, in the user's pager if stdout is a terminal. */
  readonly page: (text: string) => Promise<void>;
  readonly paint: Paint;
  /** Paint for stdout, which may be a pipe while stderr is a terminal. */
  readonly paintOut: Paint;
  /** Whether live output may rewrite lines of stderr. */
  readonly live: boolean;
  /** Whether live output may rewrite lines of stdout. */
  readonly liveOut: boolean;
  /** Whether stdout is a terminal. */
  readonly isOut: boolean;
  /** Whether the user can be prompted. */
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
  // By the NO_COLOR convention any non-empty value counts, even `0`.
  const isPlain = (env.NO_COLOR ?? '') !== '' || env.TERM === 'dumb';
  const isAutomated = isSet(env.CI);
  const out = (text: string | Uint8Array) =>
    void stdout.write(typeof text === 'string' ? neutraliseOutput(text, stdout.isTTY) : text);
  const canPage = stdin.isTTY && stdout.isTTY && !isAutomated && !options.noInput && env.TERM !== 'dumb';
  return {
    out,
    page: async (text) => {
      if (!canPage || text === '') return out(text);
      const { choosePager, showInPager } = await import('./pager.ts');
      const pager = choosePager(env);
      if (pager === null || !(await showInPager(pager, neutraliseOutput(text, true), env))) out(text);
    },
    err: (text) => void stderr.write(neutraliseOutput(text, stderr.isTTY)),
    paint: createPaint(stderr.isTTY && !isPlain && !isAutomated),
    paintOut: createPaint(stdout.isTTY && !isPlain && !isAutomated),
    live: stderr.isTTY && !isAutomated && env.TERM !== 'dumb',
    liveOut: stdout.isTTY && !isAutomated && env.TERM !== 'dumb',
    isOut: stdout.isTTY,
    interactive: stdin.isTTY && stderr.isTTY && !isAutomated && !options.noInput,
    // Some terminals don't know their size and report 0.
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
 * The escape sequences that conductor itself writes: its colours and those of diagnostics, none of which hides text,
 * and at the start of a text the cursor movements that rewrite lines.
 */
const OWN_SEQUENCE = new RegExp(
  `(^${ESC}\\[\\d+A\\r${ESC}\\[J|^\\r${ESC}\\[2K|${ESC}\\[(?:0|1|2|22|(?:1;)?3[1-4]|39)m)`,
  'u',
);

/** Neutralises every escape sequence that is not conductor's own, in case a command forgot to. */
function neutraliseOutput(text: string, isTerminal: boolean): string {
  if (!isTerminal) return escapeUnsafe(text);
  return text
    .split(OWN_SEQUENCE)
    .map((part, index) => (index % 2 === 1 ? part : escapeUnsafe(part)))
    .join('');
}

/** The maximum length of a line after an indentation; infinite for a pipe. */
export function textWidth(terminal: Pick<Terminal, 'isOut' | 'columns'>, indent: number): number {
  return terminal.isOut ? Math.max(terminal.columns() - indent, 20) : Number.POSITIVE_INFINITY;
}

/** One of the two outputs of a command, with its own colours and width. */
export interface Output {
  readonly write: (text: string) => void;
  readonly paint: Paint;
  /** The width of the terminal; infinite for a pipe. */
  readonly width: number;
}

export function stdoutOf(terminal: Pick<Terminal, 'out' | 'paintOut' | 'isOut' | 'columns'>): Output {
  return { write: terminal.out, paint: terminal.paintOut, width: textWidth(terminal, 0) };
}

export function stderrOf({
  err,
  paint,
  live,
  columns,
}: Pick<Terminal, 'err' | 'paint' | 'live' | 'columns'>): Output {
  return { write: err, paint, width: live ? columns() : Number.POSITIVE_INFINITY };
}

/** Prints lines, wrapped between words at the width of the output. */
export function printLines({ write, width }: Output, lines: readonly string[]): void {
  const wrapped = lines.flatMap((line) => wrapLine(line, width));
  if (wrapped.length > 0) write(`${wrapped.join('\n')}\n`);
}

/** A line of a source frame, whose columns must stay aligned: `12 | text`, `   | ^^^`, `--> file` or `::: file`. */
const FRAME_LINE = new RegExp(`^(?:${ESC}\\[[\\d;]*m| |\\d)*(?:\\||-->|:::)`, 'u');

/** Prints rendered diagnostics: messages, notes and help are wrapped, source frames are not. */
export function printDiagnostics({ write, width }: Output, text: string): void {
  const wrap = (line: string) => (FRAME_LINE.test(line) ? [line] : wrapLine(line, width));
  write(text.split('\n').flatMap(wrap).join('\n'));
}

/** Neutralises the control sequences in text from outside, which a terminal would execute. */
export function printable(text: string): string {
  return cleanOutput(text);
}

export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`;
  const seconds = ms / 1_000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} m ${String(Math.floor(seconds % 60)).padStart(2, '0')} s`;
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} m`;
}

/** An age in its largest unit. A negative age, after the clock was set back, counts as 0. */
export function formatAge(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} m`;
  if (seconds < 172_800) return `${Math.floor(seconds / 3_600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}

/** Frames of the live line, and how long each is shown. */
export const SPINNER = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
export const SPINNER_MS = 100;
