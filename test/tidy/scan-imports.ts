import { blankSource } from './blank-source.ts';

export interface Import {
  /** Null if it is computed, so that what it loads is unknown. */
  readonly specifier: string | null;
  /** Nothing of it is left when the file runs. */
  readonly typeOnly: boolean;
  readonly form: 'import' | 'export' | 'dynamic';
  readonly line: number;
}

const STATEMENTS: readonly { readonly form: Import['form']; readonly pattern: RegExp }[] = [
  { form: 'import', pattern: /\bimport\s*(?=["'])/g },
  {
    form: 'import',
    pattern: /\bimport\s+(?<type>type\s+(?!from\b|,))?[\w$\s,{}*]*?(?<=[\s}])from\s*(?=["'])/g,
  },
  { form: 'import', pattern: /\bimport\s*(?<type>type\s*)?\{[\w$\s,]*\}\s*from\s*(?=["'])/g },
  {
    form: 'export',
    pattern: /\bexport\s*(?<type>type\s*)?(?:\*(?:\s*as\s+[\w$]+)?|\{[\w$\s,]*\})\s*from\s*(?=["'])/g,
  },
  { form: 'dynamic', pattern: /(?<type>\btypeof\s+)?\bimport\s*\(\s*/g },
];

/** Everything a file loads or names of another file. A list of `type` names alone still loads the module. */
export function scanImports(text: string): Import[] {
  const { bare } = blankSource(text);
  const byOffset = new Map<number, Import>();
  for (const { form, pattern } of STATEMENTS) {
    for (const match of bare.matchAll(pattern)) {
      if (isProperty(bare, match.index)) continue;
      const target = match.index + match[0].length;
      byOffset.set(target, {
        specifier: readLiteral(text, bare, target),
        typeOnly: match.groups?.type !== undefined,
        form,
        line: text.slice(0, match.index).split('\n').length,
      });
    }
  }
  return [...byOffset].sort(([one], [other]) => one - other).map(([, found]) => found);
}

function isProperty(bare: string, at: number): boolean {
  return /(?:^|[^.])\.\s*$/.test(bare.slice(Math.max(0, at - 40), at));
}

/** Literals are hollow in the bare text, so the next quote there is the one that closes this one. */
function readLiteral(text: string, bare: string, at: number): string | null {
  const quote = bare.charAt(at);
  if (quote !== "'" && quote !== '"' && quote !== '`') return null;
  const end = bare.indexOf(quote, at + 1);
  const open = bare.indexOf('${', at + 1);
  if (end === -1 || (quote === '`' && open !== -1 && open < end)) return null;
  if (!/^\s*(?:[),;}]|with\b|$)/.test(bare.slice(end + 1).split('\n', 1)[0] ?? '')) return null;
  return text.slice(at + 1, end);
}
