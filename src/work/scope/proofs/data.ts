import { isAlias, isMap, isPair, isScalar, isSeq, Lexer, type Node, parseAllDocuments } from 'yaml';
import type { Tokens } from './tokens.ts';

/** JSON files in which comments are allowed. */
const WITH_COMMENTS =
  /(?:^|\/)(?:[tj]sconfig(?:\.[\w.-]+)?\.json|\.eslintrc\.json|devcontainer\.json|\.swcrc|\.babelrc)$|\.jsonc$|(?:^|\/)\.vscode\/[^/]+\.json$/;

const JSON_FORMS = /([ \t\r\n]+)|(\/\/[^\n]*|\/\*[\s\S]*?\*\/)|("(?:[^"\\\n]|\\.)*"|[-+\w.]+|[{}[\],:])/y;

/** Keeps the order of keys and the spelling of numbers, because a reader may depend on either. */
export function readJsonTokens(path: string, text: string): Tokens {
  const tokens: string[] = [];
  let at = 0;
  while (at < text.length) {
    JSON_FORMS.lastIndex = at;
    const found = JSON_FORMS.exec(text);
    if (found === null) return null;
    if (found[2] !== undefined && !WITH_COMMENTS.test(path)) return null;
    if (found[3] !== undefined) tokens.push(found[3]);
    at += found[0].length;
  }
  return tokens;
}

const YAML_LIMIT = 1_000_000;

/** The values of all documents, with tags, anchors and quoting: `no` is not `"no"`. */
export function readYamlTokens(text: string): Tokens {
  // Templates, setters or special first lines may be processed before YAML is parsed.
  if (text.length > YAML_LIMIT || /\{\{|\{%|<%|\{\s*"\$|^%|^#(?:cloud-config|!)/m.test(text)) return null;
  if (isTooDeep(text)) return null;
  const documents = parseAllDocuments(text, { uniqueKeys: false, keepSourceTokens: false });
  if (!Array.isArray(documents)) return [];
  const tokens: string[] = [];
  for (const document of documents) {
    if (document.errors.length > 0 || document.warnings.length > 0) return null;
    tokens.push('---');
    addTokens(document.contents, tokens);
  }
  return tokens;
}

const DEPTH_LIMIT = 100;

/** The YAML parser is recursive, and V8 ends the process if the recursion is too deep. */
function isTooDeep(text: string): boolean {
  let depth = 0;
  let inLine = 0;
  for (const token of new Lexer().lex(text)) {
    if (token === '[' || token === '{') depth += 1;
    else if (token === ']' || token === '}') depth -= 1;
    else if (/^[-?:]$/.test(token)) inLine += 1;
    else if (token.endsWith('\n')) inLine = 0;
    if (depth > DEPTH_LIMIT || inLine > DEPTH_LIMIT) return true;
  }
  // Block nesting shows as indentation.
  return text.split('\n').some((line) => line.search(/[^ ]|$/) > 4 * DEPTH_LIMIT);
}

function addTokens(node: unknown, tokens: string[]): void {
  if (isPair(node)) {
    addTokens(node.key, tokens);
    tokens.push(':');
    addTokens(node.value, tokens);
    return;
  }
  if (isAlias(node)) {
    tokens.push(`*${node.source}`);
    return;
  }
  if (isMap(node) || isSeq(node)) {
    tokens.push(`${marksOf(node)}${isMap(node) ? '{' : '['}`);
    for (const item of node.items) addTokens(item, tokens);
    tokens.push('end');
    return;
  }
  if (!isScalar(node)) {
    tokens.push('nothing');
    return;
  }
  const plain = node.type === 'PLAIN' || node.type === undefined;
  tokens.push(`${marksOf(node)}${plain ? `=${node.source ?? ''}` : JSON.stringify(String(node.value))}`);
}

function marksOf(node: Node): string {
  const anchor = 'anchor' in node && typeof node.anchor === 'string' ? `&${node.anchor} ` : '';
  return `${anchor}${node.tag === undefined ? '' : `!${node.tag} `}`;
}
