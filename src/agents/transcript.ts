/** One thing that happened while an agent worked, whichever agent it was. */
export type TranscriptEntry =
  | { readonly kind: 'said'; readonly text: string }
  | { readonly kind: 'thought'; readonly text: string }
  | { readonly kind: 'tool_use'; readonly name: string; readonly input: string }
  | {
      readonly kind: 'tool_result';
      /** An excerpt: the whole of it is in the raw stream. */
      readonly text: string;
      readonly isError: boolean;
      /** Null where nobody saw it begin. */
      readonly durationMs: number | null;
    }
  /** What the agent's program tells of itself, and what is said about it. */
  | { readonly kind: 'notice'; readonly text: string };

/** Of what a tool was given and gave back; words of the agent itself are not cut so soon. */
const TOOL_TEXT_LIMIT = 2_000;
const WORDS_LIMIT = 64_000;
/** A live view has little room. */
const LIVE_LIMIT = 400;
const LIVE_WORDS_LIMIT = 2_000;

/** What was said, which tools were used, what came back. The text of several entries is the texts of each, in a row. */
export function renderTranscript(entries: readonly TranscriptEntry[]): string {
  return entries.map(renderEntry).join('');
}

/** An entry as lines for whoever looks on. */
export function renderLine(entry: TranscriptEntry): string[] {
  switch (entry.kind) {
    case 'said':
      return linesOf(cut(entry.text, WORDS_LIMIT)).map((line) => cut(line, LIVE_WORDS_LIMIT));
    case 'thought':
      return linesOf(cut(entry.text, LIVE_LIMIT)).map((line) => `~ ${line}`);
    case 'tool_use':
      return [`> ${entry.name} ${oneLine(entry.input)}`.trimEnd()];
    case 'tool_result':
      return [`< ${resultWord(entry)} ${oneLine(entry.text)}`.trimEnd()];
    case 'notice':
      return linesOf(cut(entry.text, LIVE_LIMIT)).map((line) => `! ${line}`);
  }
}

function renderEntry(entry: TranscriptEntry): string {
  switch (entry.kind) {
    case 'said':
      return `${cut(entry.text, WORDS_LIMIT).trim()}\n\n`;
    case 'thought':
      return `${quoted(cut(entry.text, WORDS_LIMIT))}\n\n`;
    case 'tool_use':
      return `**${entry.name}**\n\n${fenced(cut(entry.input, TOOL_TEXT_LIMIT))}\n\n`;
    case 'tool_result':
      return `${resultWord(entry)}\n\n${entry.text.trim() === '' ? '' : `${fenced(cut(entry.text, TOOL_TEXT_LIMIT))}\n\n`}`;
    case 'notice':
      return `*${oneLine(entry.text)}*\n\n`;
  }
}

function resultWord({ isError, durationMs }: Extract<TranscriptEntry, { kind: 'tool_result' }>): string {
  const time = durationMs === null ? '' : ` (${(durationMs / 1_000).toFixed(1)} s)`;
  return `${isError ? 'failed' : 'done'}${time}`;
}

/** Longer than any row of the same character inside. */
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
  return cut(text.trim().replace(/\s*\n\s*/g, ' ⏎ '), LIVE_LIMIT);
}

function linesOf(text: string): string[] {
  return text.trim().split(/\r?\n/);
}

/** The beginning; half a character at its end is left out. */
export function cut(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const head = text.slice(0, limit).replace(/[\uD800-\uDBFF]$/, '');
  return `${head}… (${text.length - head.length} more characters)`;
}
