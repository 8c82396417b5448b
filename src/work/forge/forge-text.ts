import { cleanOutput, oneLine } from '../../text/outside-text.ts';

/** Texts of agents and users, made safe for a page of a forge that renders Markdown and sends notifications. */

const MAX_TITLE = 200;
/** A forge refuses a body of more than 65,536 characters; markers and footers need some of them. */
const MAX_TEXT = 60_000;
const MAX_LABEL = 50;

/** A forge notifies the users that a text mentions. */
const MENTION = /@(?=[A-Za-z0-9])/g;
const GUARDED = /@\u200b/g;
const CODE = /(```[\s\S]*?(?:```|$)|~~~[\s\S]*?(?:~~~|$)|`[^`\n]*`)/;

export function formatTitle(title: string, fallback: string): string {
  const line = oneLine(title);
  const short = cut(line, MAX_TITLE);
  return short === '' ? fallback : short === line ? line : `${short}…`;
}

/** The text with hidden characters escaped, markers and mentions disabled, and a length that a forge accepts. */
export function formatProse(text: string): { readonly text: string; readonly isCut: boolean } {
  const clean = cleanOutput(text.replaceAll('\r\n', '\n'));
  const whole = guardMentions(clean.replace(/<!--\s*conductor:/gi, '<!- conductor:')).trim();
  const short = cut(whole, MAX_TEXT);
  return { text: short, isCut: short !== whole };
}

/** What a person left of a text that `formatProse` wrote. */
export function readProse(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(GUARDED, '@').trim();
}

/** An agent's text as a block of code: a forge acts on nothing in it, such as `closes #3`. */
export function fenceText(text: string): string {
  const clean = cut(cleanOutput(text.replaceAll('\r\n', '\n')).trim(), MAX_TEXT);
  const longest = Math.max(2, ...[...clean.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}text\n${clean}\n${fence}`;
}

/** Null for a label that a forge can't have. */
export function formatLabel(label: string): string | null {
  const line = cut(oneLine(label), MAX_LABEL);
  return line === '' ? null : line;
}

function guardMentions(text: string): string {
  return text
    .split(CODE)
    .map((part, index) => (index % 2 === 1 ? part : part.replace(MENTION, '@\u200b')))
    .join('');
}

/** Cuts between characters, never inside one. */
function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  const end = /[\ud800-\udbff]/.test(text.charAt(length - 1)) ? length - 1 : length;
  return text.slice(0, end).trimEnd();
}
