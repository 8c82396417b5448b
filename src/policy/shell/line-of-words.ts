import { singleQuote } from '../../text/shell-words.ts';

/** Turns an argument list into a shell line. Some agents pass such a list, usually `sh -c` with a line. */
export function formatCommandLine(words: readonly string[]): string {
  const [shell = '', flag = '', line] = words;
  if (
    words.length === 3 &&
    line !== undefined &&
    /^(?:.*\/)?(?:ba|z|da)?sh$/.test(shell) &&
    /^-l?c$/.test(flag)
  )
    return line;
  return words.map(singleQuote).join(' ');
}
