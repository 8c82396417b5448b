import type { LanguageFn } from 'highlight.js';
import { createLowlight } from 'lowlight';
import { splitTokens, type Token } from './tokens.ts';

type Language = () => Promise<{ readonly default: LanguageFn }>;

/** By the names that the server gives files. Each is a download of its own, made when a file needs it. */
const LANGUAGES: ReadonlyMap<string, Language> = new Map<string, Language>([
  ['bash', () => import('highlight.js/lib/languages/bash')],
  ['c', () => import('highlight.js/lib/languages/c')],
  ['cpp', () => import('highlight.js/lib/languages/cpp')],
  ['csharp', () => import('highlight.js/lib/languages/csharp')],
  ['css', () => import('highlight.js/lib/languages/css')],
  ['diff', () => import('highlight.js/lib/languages/diff')],
  ['dockerfile', () => import('highlight.js/lib/languages/dockerfile')],
  ['go', () => import('highlight.js/lib/languages/go')],
  ['graphql', () => import('highlight.js/lib/languages/graphql')],
  ['ini', () => import('highlight.js/lib/languages/ini')],
  ['java', () => import('highlight.js/lib/languages/java')],
  ['javascript', () => import('highlight.js/lib/languages/javascript')],
  ['json', () => import('highlight.js/lib/languages/json')],
  ['kotlin', () => import('highlight.js/lib/languages/kotlin')],
  ['less', () => import('highlight.js/lib/languages/less')],
  ['lua', () => import('highlight.js/lib/languages/lua')],
  ['makefile', () => import('highlight.js/lib/languages/makefile')],
  ['markdown', () => import('highlight.js/lib/languages/markdown')],
  ['perl', () => import('highlight.js/lib/languages/perl')],
  ['php', () => import('highlight.js/lib/languages/php')],
  ['python', () => import('highlight.js/lib/languages/python')],
  ['ruby', () => import('highlight.js/lib/languages/ruby')],
  ['rust', () => import('highlight.js/lib/languages/rust')],
  ['scss', () => import('highlight.js/lib/languages/scss')],
  ['sql', () => import('highlight.js/lib/languages/sql')],
  ['swift', () => import('highlight.js/lib/languages/swift')],
  ['typescript', () => import('highlight.js/lib/languages/typescript')],
  ['xml', () => import('highlight.js/lib/languages/xml')],
  ['yaml', () => import('highlight.js/lib/languages/yaml')],
]);

const ALIASES: ReadonlyMap<string, string> = new Map([
  ['html', 'xml'],
  ['svg', 'xml'],
  ['vue', 'xml'],
  ['toml', 'ini'],
  ['tsx', 'typescript'],
  ['jsx', 'javascript'],
  ['shell', 'bash'],
  ['sh', 'bash'],
]);

/** Longer texts would block the page for a noticeable time. */
const MAX_LENGTH = 200_000;
const MAX_LINE = 2_000;

const lowlight = createLowlight();

/** Colours lines of code; null if the language isn't known or the text is too long. */
export async function highlightLines(
  language: string | null,
  lines: readonly string[],
): Promise<readonly (readonly Token[])[] | null> {
  const name = language === null ? null : (ALIASES.get(language) ?? language);
  const load = name === null ? undefined : LANGUAGES.get(name);
  if (name === null || load === undefined) return null;
  const length = lines.reduce((sum, line) => sum + line.length + 1, 0);
  if (length > MAX_LENGTH || lines.some((line) => line.length > MAX_LINE)) return null;
  if (!lowlight.registered(name)) lowlight.register(name, (await load()).default);
  return splitTokens(lowlight.highlight(name, lines.join('\n')));
}
