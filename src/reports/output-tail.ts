const TAIL_LINES = 60;
const TAIL_CHARACTERS = 6_000;

const ESC = String.fromCharCode(0x1b);
const BEL = String.fromCharCode(0x07);
/** Styles and cursor moves, then titles and links, then short sequences. */
const ESCAPE_SEQUENCE = new RegExp(
  `${ESC}(?:\\[[0-?]*[ -/]*[@-~]|\\][^${BEL}${ESC}]*(?:${BEL}|${ESC}\\\\)|[@-Z\\\\-_])`,
  'g',
);

/** Removes the sequences that colour text or move the cursor. */
export function stripEscapeSequences(text: string): string {
  return text.replaceAll(ESCAPE_SEQUENCE, '');
}

/** The end of a program's output: at most 60 lines and 6,000 characters, without escape sequences. */
export function outputTail(text: string): string {
  return lastPart(plainLines(text), TAIL_LINES, TAIL_CHARACTERS);
}

/**
 * The end of both streams within the same limits. They are captured separately, so their order is unknown. Each
 * gets half of the limit, plus what the other doesn't need, so that a flood of warnings can't hide the failure.
 */
export function streamsTail(stdout: string, stderr: string): string {
  const out = plainLines(stdout);
  const err = plainLines(stderr);
  const whole = (text: string) => lastPart(text, TAIL_LINES, TAIL_CHARACTERS);
  if (out === '' || err === '') return whole(out + err);
  const lines = splitLimit(out.split('\n').length, err.split('\n').length, TAIL_LINES);
  // The line break between the two counts.
  const characters = splitLimit(whole(out).length, whole(err).length, TAIL_CHARACTERS - 1);
  return `${lastPart(out, lines[0], characters[0])}\n${lastPart(err, lines[1], characters[1])}`;
}

function splitLimit(one: number, other: number, room: number): readonly [number, number] {
  const half = Math.floor(room / 2);
  if (one + other <= room) return [one, other];
  if (other < half) return [room - other, other];
  return one < half ? [one, room - one] : [room - half, half];
}

function plainLines(text: string): string {
  return stripEscapeSequences(text).replaceAll(/\r\n?/g, '\n').trimEnd();
}

function lastPart(text: string, lines: number, characters: number): string {
  return text.split('\n').slice(-lines).join('\n').slice(-characters);
}
