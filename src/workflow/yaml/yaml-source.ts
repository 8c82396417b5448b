import type { Family } from '../../diagnostics/codes.ts';
import type { Diagnostic, Span } from '../../diagnostics/diagnostic.ts';
import { createLineIndex, type LineIndex } from './line-index.ts';
import { readWithPackage } from './yaml-package.ts';
import type { Path, PlacedNode, Range, YamlTree } from './yaml-tree.ts';

/** A YAML document that can locate its data in its text. */
export interface YamlSource {
  readonly data: unknown;
  readonly diagnostics: readonly Diagnostic[];
  /** Locates a path; for a path that does not exist, its nearest existing parent. */
  readonly locate: (path: Path, part: 'key' | 'value') => Span;
  /** Locates the first key of a mapping, which is where a missing key is reported. */
  readonly locateFirstKey: (path: Path) => Span;
  /** Locates a part of a scalar; all of it if the part is written differently in the source. */
  readonly locateText: (path: Path, piece: string) => Span;
  /** The source text of a scalar. */
  readonly sourceText: (path: Path) => string | null;
}

/** `source` is null if the text is empty or has an error that prevents further checks. */
export interface YamlResult {
  readonly source: YamlSource | null;
  readonly diagnostics: readonly Diagnostic[];
  /** The text has no error and no content. */
  readonly empty: boolean;
}

/** Offsets in `text` must be offsets in the file: for front matter, the caller blanks out what precedes it. */
export function parseYaml(text: string, family: Family): YamlResult {
  const lines = createLineIndex(text);
  const result = readWithPackage(text, lines, family);
  switch (result.kind) {
    case 'empty':
      return { source: null, diagnostics: [], empty: true };
    case 'refused':
      return { source: null, diagnostics: result.diagnostics, empty: false };
    case 'tree': {
      const { tree, diagnostics } = result;
      return { source: createYamlSource(text, lines, tree, diagnostics), diagnostics, empty: false };
    }
  }
}

function createYamlSource(
  text: string,
  lines: LineIndex,
  tree: YamlTree,
  diagnostics: readonly Diagnostic[],
): YamlSource {
  const nodeSpan = (node: PlacedNode | null): Span =>
    node === null ? lines.span(0, 0) : lines.span(...trim(text, node.range));

  const locate = (path: Path, part: 'key' | 'value'): Span => {
    for (let length = path.length; length >= 0; length -= 1) {
      const found = tree.find(path.slice(0, length));
      if (found === null) continue;
      const wanted = part === 'key' && found.key !== null ? found.key : found.value;
      const [start, end] = wanted?.range ?? [0, 0];
      // An empty value has no text, so the span points at its key.
      return nodeSpan(start === end && found.key !== null ? found.key : wanted);
    }
    return lines.span(0, 0);
  };

  return {
    data: tree.data,
    diagnostics,
    locate,
    locateFirstKey: (path) => {
      const first = tree.find(path)?.value?.firstKey ?? null;
      return first === null ? locate(path, 'value') : lines.span(...trim(text, first));
    },
    locateText: (path, piece) => {
      const node = tree.find(path)?.value ?? null;
      if (node === null) return locate(path, 'value');
      const [start, end] = node.range;
      const at = text.slice(start, end).indexOf(piece);
      return at < 0 ? nodeSpan(node) : lines.span(start + at, start + at + piece.length);
    },
    sourceText: (path) => {
      const node = tree.find(path)?.value ?? null;
      return node?.isScalar ? text.slice(...node.range) : null;
    },
  };
}

/** Cuts trailing whitespace: the range of a block value extends to the next key. */
function trim(text: string, [start, end]: Range): Range {
  let last = end;
  while (last > start + 1 && /\s/.test(text[last - 1] ?? '')) last -= 1;
  return [start, last];
}
