import type { Family } from '../diagnostics/codes.ts';
import type { Diagnostic, Span } from '../diagnostics/diagnostic.ts';
import { createLineIndex, type LineIndex } from './line-index.ts';
import { readWithPackage } from './yaml-package.ts';
import type { Path, PlacedNode, Range, YamlTree } from './yaml-tree.ts';

/** A YAML document with the way back from its data to its text. */
export interface YamlSource {
  readonly data: unknown;
  readonly diagnostics: readonly Diagnostic[];
  /** Nearest place for a path: a path that does not exist gives the place of its nearest parent. */
  readonly locate: (path: Path, part: 'key' | 'value') => Span;
  /** Where a missing key of the mapping at this path would be looked for: its first key. */
  readonly locateFirstKey: (path: Path) => Span;
  /** A piece of the text of a scalar, or all of it where the piece is written in another way. */
  readonly locateText: (path: Path, piece: string) => Span;
  /** A scalar exactly as it stands in the file. */
  readonly sourceText: (path: Path) => string | null;
}

/** Null data with diagnostics: nothing more can be said about such a text. */
export interface YamlResult {
  readonly source: YamlSource | null;
  readonly diagnostics: readonly Diagnostic[];
  /** No error, but nothing in it either. */
  readonly empty: boolean;
}

/** Offsets of `text` are offsets of the file: the caller passes front matter with the rest of the file blanked out. */
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
      // A value that was left empty has no text of its own, so its key stands for it.
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

/** Block values run on to the next key; what people see as the value ends with its last character. */
function trim(text: string, [start, end]: Range): Range {
  let last = end;
  while (last > start + 1 && /\s/.test(text[last - 1] ?? '')) last -= 1;
  return [start, last];
}
