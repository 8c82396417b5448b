const ESCAPE =
  /\\(?:([abeEfnrtv\\'"?])|([0-7]{1,3})|x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|c([\s\S]))/g;

const NAMED: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  e: '\u001b',
  E: '\u001b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

/** Decodes the text between `$'` and `'` as bash does: a NUL cuts off the rest. */
export function decodeAnsi(text: string): string {
  const decoded = text.replace(
    ESCAPE,
    (_all, named?: string, octal?: string, hex?: string, short?: string, long?: string, control?: string) => {
      if (named !== undefined) return NAMED[named] ?? named;
      if (octal !== undefined) return character(Number.parseInt(octal, 8) % 256);
      if (control !== undefined) return character(control.charCodeAt(0) % 32);
      return character(Number.parseInt(hex ?? short ?? long ?? '0', 16));
    },
  );
  const end = decoded.indexOf('\u0000');
  return end < 0 ? decoded : decoded.slice(0, end);
}

function character(code: number): string {
  return code <= 0x10ffff ? String.fromCodePoint(code) : '';
}
