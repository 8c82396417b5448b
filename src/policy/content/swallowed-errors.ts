import type { CodeLanguage, CodeText } from './code-text.ts';
import type { ContentNote } from './content-note.ts';
import { excerptAt } from './stubs.ts';

/**
 * Code that catches an error and ignores it. Matched on text without comments, so a comment doesn't count as
 * handling.
 */
const FORMS: Readonly<Record<CodeLanguage['name'], readonly RegExp[]>> = {
  js: [
    /\bcatch\s*(?:\([^(){}]{0,300}\)\s*)?\{\s*\}/g,
    /\.catch\s*\(\s*(?:async\s*)?(?:\([^()]{0,300}\)|[\w$]*)\s*=>\s*(?:\{\s*\}|undefined|null|void 0|\(\s*\{\s*\}\s*\))\s*,?\s*\)/g,
    /\.catch\s*\(\s*function\s*\w*\s*\([^()]{0,300}\)\s*\{\s*\}\s*\)/g,
    /\.catch\s*\(\s*noop\s*\)/g,
  ],
  go: [
    /\bif\s+(?:[^{}\n;]{0,300};\s*)?err\s*!=\s*nil\s*\{\s*\}/g,
    /^[ \t]*_\s*=\s*err\b/gm,
    /\brecover\s*\(\s*\)\s*\}\s*\(\s*\)/g,
  ],
  rust: [
    /\bErr\s*\(\s*_\w*\s*\)\s*=>\s*(?:\{\s*\}|\(\s*\))/g,
    /\bif\s+let\s+Err\s*\([^()]{0,300}\)\s*=[^{};]{0,300}\{\s*\}/g,
    /^[ \t]*let\s+_\s*=[^;]{0,300};/gm,
  ],
  java: [/\bcatch\s*\([^(){}]{0,300}\)\s*\{\s*\}/g],
  c: [/\bcatch\s*\([^(){}]{0,300}\)\s*\{\s*\}/g],
  csharp: [/\bcatch\s*(?:\([^(){}]{0,300}\)\s*)?\{\s*\}/g],
  php: [/\bcatch\s*\([^(){}]{0,300}\)\s*\{\s*\}/g],
  swift: [/\bcatch\b[^{}]{0,300}\{\s*\}/g],
  python: [
    /^[ \t]*except\b[^:\n]*:\s*(?:pass|\.\.\.|continue|return None|return)[ \t]*$/gm,
    /\bcontextlib\.suppress\s*\(|\bwith\s+suppress\s*\(/g,
  ],
  ruby: [/^[ \t]*rescue\b[^\n]*\n\s*(?:nil\s*\n\s*)?end\b/gm, /\brescue\s+nil\b/g],
  shell: [/\|\|\s*(?:true|:)(?=\s|;|$)/gm, /^[ \t]*set\s+\+e\b/gm],
};

export function findSwallowedErrors({ bare, code, lineOf }: CodeText, { name }: CodeLanguage): ContentNote[] {
  const places = FORMS[name].flatMap((form) => [...bare.matchAll(form)].map(firstCharacter));
  return [...new Set(places)]
    .sort((a, b) => a - b)
    .map((at) => ({ kind: 'swallowed_error', line: lineOf(at), text: excerptAt(code, at) }));
}

/** The offset of the first visible character: a match may start with white space. */
function firstCharacter(match: RegExpExecArray): number {
  return match.index + (match[0].length - match[0].trimStart().length);
}
