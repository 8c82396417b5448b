/** One event of an agent's work, the same for all kinds of agents. */
export type TranscriptEntry =
  | { readonly kind: 'said'; readonly text: string }
  | { readonly kind: 'thought'; readonly text: string }
  | { readonly kind: 'tool_use'; readonly name: string; readonly input: string }
  | {
      readonly kind: 'tool_result';
      /** An excerpt; the raw stream contains the full text. */
      readonly text: string;
      readonly isError: boolean;
      /** Null if the start was not reported. */
      readonly durationMs: number | null;
    }
  /** Messages of the agent's program, or of conductor about it. */
  | { readonly kind: 'notice'; readonly text: string };

/** Limit for the input and output of tools; messages of the agent have a higher one. */
const TOOL_TEXT_LIMIT = 2_000;
const TEXT_LIMIT = 64_000;
/** A live view has little space. */
const LIVE_LIMIT = 400;
const LIVE_TEXT_LIMIT = 2_000;

/**
 * Renders messages, tool calls and their results. Entries are rendered independently, one after the other.
 */
export function renderTranscript(entries: readonly TranscriptEntry[]): string {
  return entries.map(renderEntry).join('');
}

/** Renders an entry as lines for a live view. */
export function renderLine(entry: TranscriptEntry): string[] {
  switch (entry.kind) {
    case 'said':
      return linesOf(truncateEntry(entry.text, TEXT_LIMIT)).map((line) =>
        truncateEntry(line, LIVE_TEXT_LIMIT),
      );
    case 'thought':
      return linesOf(truncateEntry(entry.text, LIVE_LIMIT)).map((line) => `~ ${line}`);
    case 'tool_use':
      return [`> ${entry.name} ${oneLine(entry.input)}`.trimEnd()];
    case 'tool_result':
      return [`< ${resultLabel(entry)} ${oneLine(entry.text)}`.trimEnd()];
    case 'notice':
      return linesOf(truncateEntry(entry.text, LIVE_LIMIT)).map((line) => `! ${line}`);
  }
}

function renderEntry(entry: TranscriptEntry): string {
  switch (entry.kind) {
    case 'said':
      return `${truncateEntry(entry.text, TEXT_LIMIT).trim()}\n\n`;
    case 'thought':
      return `${quoted(truncateEntry(entry.text, TEXT_LIMIT))}\n\n`;
    case 'tool_use':
      return `**${entry.name}**\n\n${fenced(truncateEntry(entry.input, TOOL_TEXT_LIMIT))}\n\n`;
    case 'tool_result':
      return `${resultLabel(entry)}\n\n${entry.text.trim() === '' ? '' : `${fenced(truncateEntry(entry.text, TOOL_TEXT_LIMIT))}\n\n`}`;
    case 'notice':
      return `*${oneLine(entry.text)}*\n\n`;
  }
}

function resultLabel({ isError, durationMs }: Extract<TranscriptEntry, { kind: 'tool_result' }>): string {
  const time = durationMs === null ? '' : ` (${(durationMs / 1_000).toFixed(1)} s)`;
  return `${isError ? 'failed' : 'done'}${time}`;
}

/** The fence is longer than any run of backticks in the text. */
function fenced(text: string): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/g), ([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}text\n${text.replace(/\n+$/, '')}\n${fence}`;
}

function quoted(text: string): string {
  return linesOf(text)
    .map((line) => `> ${line}`.trimEnd())
    .join('\n');
}

function oneLine(text: string): string {
  return truncateEntry(text.trim().replace(/\s*\n\s*/g, ' ⏎ '), LIVE_LIMIT);
}

function linesOf(text: string): string[] {
  return text.trim().split(/\r?\n/);
}

/** Truncates a text without splitting a surrogate pair. */
export function truncateEntry(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const head = text.slice(0, limit).replace(/[\uD800-\uDBFF]$/, '');
  return `${head}… (${text.length - head.length} more characters)`;
}
