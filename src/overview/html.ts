import { cleanOutput } from '../text/outside-text.ts';

/** Markup that is safe to put into a page: only `html` and this file create it. */
export interface Markup {
  readonly markup: string;
}

export type Part = string | number | Markup | readonly Markup[];

/** Builds markup from a template; every text in it is escaped. */
export function html(pieces: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  return { markup: pieces.map((piece, at) => piece + formatPart(parts[at] ?? '')).join('') };
}

function formatPart(part: Part): string {
  if (typeof part === 'string') return escapeHtml(part);
  if (typeof part === 'number') return String(part);
  return 'markup' in part ? part.markup : part.map(({ markup }) => markup).join('\n');
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return cleanOutput(text).replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '');
}

/** Colours by what they mean, for light and dark screens, and what all pages share. */
const BASE_STYLE = `
:root { color-scheme: light dark; --fg: #1b1f24; --dim: #57606a; --bg: #ffffff; --card: #f6f8fa; --line: #d0d7de;
  --attention: #9a6700; --good: #1a7f37; --bad: #cf222e; --accent: #0969da; --neutral: #6e7781; }
@media (prefers-color-scheme: dark) { :root { --fg: #e6edf3; --dim: #9198a1; --bg: #0d1117; --card: #161b22;
  --line: #30363d; --attention: #d29922; --good: #3fb950; --bad: #f85149; --accent: #58a6ff; --neutral: #8b949e; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1rem; max-width: var(--page, 60rem); background: var(--bg); color: var(--fg);
  font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.35rem; margin: 0; }
h2 { font-size: 1.1rem; margin: 1.75rem 0 .5rem; }
h3 { font-size: 1rem; margin: 0; }
p, ul { margin: .25rem 0; }
ul { padding-left: 1.1rem; }
.dim { color: var(--dim); font-size: .875rem; }
code { font: .875rem/1.4 ui-monospace, monospace; }
.table { overflow-x: auto; }
table { border-collapse: collapse; font-size: .875rem; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .25rem .75rem .25rem 0; border-bottom: 1px solid var(--line);
  overflow-wrap: normal; }
`;

export interface Page {
  readonly title: string;
  /** CSS of this page, after that of all pages. It is written by conductor and is not escaped. */
  readonly style: string;
  readonly body: Markup | readonly Markup[];
}

/** A page in one file, without scripts, links or other resources. */
export function renderPage({ title, style, body }: Page): string {
  const css = { markup: BASE_STYLE + style };
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>${css}</style>
</head>
<body>
${body}
</body>
</html>
`.markup;
}
