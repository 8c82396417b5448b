import type { Paint } from './terminal.ts';

const HUNK = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/;

/**
 * Colours the lines of a patch. Counts the lines of each hunk, because a removed line may look like a file header. The
 * text must already be neutralised.
 */
export function paintPatch(paint: Paint, patch: string): string {
  if (!paint.enabled) return patch;
  let before = 0;
  let after = 0;
  return patch
    .split('\n')
    .map((line) => {
      if (before <= 0 && after <= 0) {
        const [, old = '1', now = '1'] = HUNK.exec(line) ?? [];
        if (line.startsWith('@@')) {
          if (HUNK.test(line)) {
            before = Number(old);
            after = Number(now);
          }
          return paint.blue(line);
        }
        if (line.startsWith('\\')) return paint.dim(line);
        return line === '' ? line : paint.bold(line);
      }
      if (line.startsWith('\\')) return paint.dim(line);
      if (!line.startsWith('+')) before -= 1;
      if (!line.startsWith('-')) after -= 1;
      return paintChange(paint, line);
    })
    .join('\n');
}

/** Colours a single line of a difference, whose hunks are not counted. */
export function paintChange(paint: Paint, line: string): string {
  if (line.startsWith('+')) return paint.green(line);
  if (line.startsWith('-')) return paint.red(line);
  return line.startsWith('@@') ? paint.blue(line) : line;
}
