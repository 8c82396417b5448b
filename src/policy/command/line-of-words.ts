import { singleQuoted } from '../../text/shell-words.ts';

/** Some agents pass the words of a call, mostly those of a shell with a line for it. */
export function lineOfWords(words: readonly string[]): string {
  const [shell = '', flag = '', line] = words;
  if (
    words.length === 3 &&
    line !== undefined &&
    /^(?:.*\/)?(?:ba|z|da)?sh$/.test(shell) &&
    /^-l?c$/.test(flag)
  )
    return line;
  return words.map(singleQuoted).join(' ');
}
