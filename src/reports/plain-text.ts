export const ESCAPE = '\u001b';
/** Colour sequences, and the titles and links that runners write for terminals. */
const ESCAPE_SEQUENCE = new RegExp(
  `${ESCAPE}(?:\\[[0-9;?]*[ -/]*[@-~]|\\][^\\u0007${ESCAPE}]*(?:\\u0007|${ESCAPE}\\\\)?|[@-Z\\\\^_])`,
  'g',
);
const CONTROL = /(?![\t\n])\p{Cc}/gu;

/** Readable text: no colours, no control characters, no surrounding white space. */
export function plainText(text: string): string {
  const clean = text.replace(/\r\n?/g, '\n').replace(ESCAPE_SEQUENCE, '').replace(CONTROL, '');
  const lines = clean.split('\n').map((line) => line.trimEnd());
  const first = lines.findIndex((line) => line !== '');
  return first < 0 ? '' : lines.slice(first).join('\n').trimEnd();
}

/** Stack frames that are in the runner and not in the code under test. */
const FOREIGN_FRAME =
  /^\s*(?:at )?.*(?:\/node_modules\/|\bnode:internal\/|\bnode:async_hooks).*:\d+:\d+\)?$|^\s*(?:at )?new (?:Safe)?Promise \(<anonymous>\)$/;

export function withoutForeignFrames(text: string): string {
  return text
    .split('\n')
    .filter((line) => line.length > 1_000 || !FOREIGN_FRAME.test(line))
    .join('\n');
}

export function oneLine(text: string): string {
  return plainText(text).replace(/\s+/g, ' ').trim();
}

/** Drops the middle, because the beginning says what failed and the end says where. */
export function shortened(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const tail = Math.floor(limit / 4);
  return `${dropHalfPairs(text.slice(0, limit - tail))}\n…\n${dropHalfPairs(text.slice(-tail))}`;
}

/** Removes half of a surrogate pair that the cut may have left. */
function dropHalfPairs(text: string): string {
  return text.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '');
}
