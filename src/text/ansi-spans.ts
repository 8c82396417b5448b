/**
 * Turns lines that programs print for a terminal into spans with names of styles. All text stays visible: a program can
 * neither hide text (concealed, or in the colour of its background) nor move the cursor over other text.
 */

import { escapeUnsafe } from './outside-text.ts';

const COLOURS = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'] as const;
type Colour = (typeof COLOURS)[number] | `bright-${(typeof COLOURS)[number]}`;

const PALETTE: readonly Colour[] = [...COLOURS, ...COLOURS.map((name): Colour => `bright-${name}`)];

/** The colours of xterm, to find the nearest one of the palette. */
const PALETTE_RGB: readonly Rgb[] = [
  [0, 0, 0],
  [205, 0, 0],
  [0, 205, 0],
  [205, 205, 0],
  [0, 0, 238],
  [205, 0, 205],
  [0, 205, 205],
  [229, 229, 229],
  [127, 127, 127],
  [255, 0, 0],
  [0, 255, 0],
  [255, 255, 0],
  [92, 92, 255],
  [255, 0, 255],
  [0, 255, 255],
  [255, 255, 255],
];

type Rgb = readonly [number, number, number];

const FLAGS = ['bold', 'dim', 'italic', 'underline', 'strike', 'inverse'] as const;
type Flag = (typeof FLAGS)[number];

/** The style that a program has set so far; it holds across lines. */
export interface AnsiStyle {
  readonly fg: Colour | null;
  readonly bg: Colour | null;
  readonly flags: ReadonlySet<Flag>;
}

export const PLAIN_STYLE: AnsiStyle = { fg: null, bg: null, flags: new Set() };

export interface StyledSpan {
  readonly text: string;
  /** Names separated by spaces, such as `fg-red bold`; missing for plain text. */
  readonly style?: string;
}

export interface StyledLine {
  readonly spans: readonly StyledSpan[];
  /** How many states of a progress line are not shown. */
  readonly overwritten: number;
  readonly style: AnsiStyle;
}

/** Longer control strings, such as titles and links, are text. */
const MAX_CONTROL_STRING = 4_096;

const ESC = '\\x1b';
const CONTROL = new RegExp(
  [
    // Control sequences: colours, cursor movements, modes.
    `(?<csi>${ESC}\\[(?<parameters>[0-?]*)[ -/]*(?<final>[@-~]))`,
    // Strings for the terminal: titles, links, pictures.
    `${ESC}[\\]PX^_][^\\x07\\x1b]{0,${MAX_CONTROL_STRING}}(?:\\x07|${ESC}\\\\)`,
    // Character sets, keypad modes, saved cursors.
    `${ESC}[ -/]+[0-~]`,
    `${ESC}[0-OQ-WYZ\\\\\`-~]`,
  ].join('|'),
  'g',
);

/**
 * Reads one line without its line feed. A carriage return starts the line anew, as for a progress bar: of texts that
 * differ only in numbers and signs, the last one is shown. A text with other words stays visible.
 */
export function readAnsiLine(line: string, before: AnsiStyle): StyledLine {
  if (!/[^\t -~]/.test(line))
    return { spans: line === '' ? [] : [styled(line, before)], overwritten: 0, style: before };
  let style = before;
  const shown: { readonly words: string; readonly spans: readonly StyledSpan[] }[] = [];
  let overwritten = 0;
  for (const part of line.replace(/\r+$/, '').split('\r')) {
    const read = readPart(part, style);
    style = read.style;
    const text = read.spans.map((span) => span.text).join('');
    if (text.trim() === '') continue;
    const words = text.replaceAll(/\P{L}/gu, '');
    const last = shown.at(-1);
    if (last !== undefined && words.startsWith(last.words)) {
      shown.pop();
      overwritten += 1;
    }
    shown.push({ words, spans: read.spans });
  }
  const spans = shown.flatMap((each, at) => (at === 0 ? each.spans : [{ text: '\\r' }, ...each.spans]));
  return { spans, overwritten, style };
}

function readPart(
  part: string,
  before: AnsiStyle,
): { readonly spans: StyledSpan[]; readonly style: AnsiStyle } {
  const spans: StyledSpan[] = [];
  let style = before;
  let from = 0;
  const add = (raw: string) => {
    if (raw === '') return;
    const span = styled(raw, style);
    const last = spans.at(-1);
    if (last !== undefined && last.style === span.style)
      spans[spans.length - 1] = { ...last, text: last.text + span.text };
    else spans.push(span);
  };
  for (const { 0: found, index, groups } of part.matchAll(CONTROL)) {
    add(part.slice(from, index));
    from = index + found.length;
    if (groups?.final === 'm') style = applySgr(style, groups.parameters ?? '');
  }
  add(part.slice(from));
  return { spans, style };
}

function styled(raw: string, { fg, bg, flags }: AnsiStyle): StyledSpan {
  const text = escapeUnsafe(raw);
  const isInverse = flags.has('inverse');
  const [front, back] = isInverse ? [bg, fg] : [fg, bg];
  const names = [
    ...(front === null ? [] : [`fg-${front}`]),
    // In the colour of its background, text would be hidden.
    ...(back === null || back === front ? [] : [`bg-${back}`]),
    ...FLAGS.filter((flag) => flags.has(flag)),
  ];
  return names.length === 0 ? { text } : { text, style: names.join(' ') };
}

const SET: Readonly<Record<number, Flag>> = {
  1: 'bold',
  2: 'dim',
  3: 'italic',
  4: 'underline',
  7: 'inverse',
  9: 'strike',
  21: 'underline',
};
const RESET: Readonly<Record<number, readonly Flag[]>> = {
  22: ['bold', 'dim'],
  23: ['italic'],
  24: ['underline'],
  27: ['inverse'],
  29: ['strike'],
};

/** Select Graphic Rendition. A private sequence such as `>4;2m` sets no style. */
function applySgr(before: AnsiStyle, parameters: string): AnsiStyle {
  if (/[<-?]/.test(parameters)) return before;
  const codes = parameters.split(';').map((each) => each.split(':').map(Number));
  let style = before;
  for (let at = 0; at < codes.length; at += 1) {
    const [code = 0, ...sub] = codes[at] ?? [];
    if (code === 38 || code === 48 || code === 58) {
      const inline = sub.length > 0;
      const values = inline ? sub : codes.slice(at + 1).map(([value = 0]) => value);
      const read = readColour(values, inline);
      if (!inline) at += read.used;
      if (code === 38 && read.colour !== null) style = { ...style, fg: read.colour };
      if (code === 48 && read.colour !== null) style = { ...style, bg: read.colour };
    } else style = applyCode(style, code, sub);
  }
  return style;
}

function applyCode(style: AnsiStyle, code: number, sub: readonly number[]): AnsiStyle {
  if (code === 0) return PLAIN_STYLE;
  if (code === 4 && sub[0] === 0) return withFlags(style, [], ['underline']);
  const set = SET[code];
  if (set !== undefined) return withFlags(style, [set], []);
  const reset = RESET[code];
  if (reset !== undefined) return withFlags(style, [], reset);
  if (code === 39) return { ...style, fg: null };
  if (code === 49) return { ...style, bg: null };
  const colour = (first: number, bright: number) =>
    code >= first && code < first + 8
      ? PALETTE[code - first]
      : PALETTE[code >= bright && code < bright + 8 ? code - bright + 8 : -1];
  const fg = colour(30, 90);
  if (fg !== undefined) return { ...style, fg };
  const bg = colour(40, 100);
  return bg === undefined ? style : { ...style, bg };
}

function withFlags(style: AnsiStyle, add: readonly Flag[], remove: readonly Flag[]): AnsiStyle {
  const flags = new Set([...style.flags, ...add].filter((flag) => !remove.includes(flag)));
  return { ...style, flags };
}

interface ReadColour {
  readonly colour: Colour | null;
  /** How many of the following codes belong to it. */
  readonly used: number;
}

/** `5;N` or `2;R;G;B`; with colons, there may be a colour space before the values. */
function readColour(values: readonly number[], inline: boolean): ReadColour {
  const [kind] = values;
  if (kind === 5) return { colour: fromIndex(values[1] ?? -1), used: 2 };
  if (kind !== 2) return { colour: null, used: 1 };
  const start = inline && values.length > 4 ? 2 : 1;
  const [red = 0, green = 0, blue = 0] = values.slice(start, start + 3);
  return { colour: nearest([red, green, blue]), used: 4 };
}

/** A colour of the 256 that xterm has. */
function fromIndex(index: number): Colour | null {
  if (!Number.isInteger(index) || index < 0 || index > 255) return null;
  if (index < 16) return PALETTE[index] ?? null;
  if (index >= 232) {
    const grey = 8 + (index - 232) * 10;
    return nearest([grey, grey, grey]);
  }
  const level = (step: number) => (step === 0 ? 0 : 55 + step * 40);
  const cube = index - 16;
  return nearest([level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6)]);
}

/** The page has sixteen colours, which are readable in its light and dark form. */
function nearest([red, green, blue]: Rgb): Colour {
  let best = 0;
  let least = Number.POSITIVE_INFINITY;
  for (const [at, [r, g, b]] of PALETTE_RGB.entries()) {
    const distance = (red - r) ** 2 + (green - g) ** 2 + (blue - b) ** 2;
    if (distance < least) [best, least] = [at, distance];
  }
  return PALETTE[best] ?? 'white';
}
