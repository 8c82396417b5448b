import { type Alias, isAlias, isMap, isScalar, isSeq, type Node, type Pair, type YAMLMap } from 'yaml';
import type { ShapeNumber } from '../../diagnostics/codes.ts';

/** Plain data without inherited properties, so that `constructor` is an ordinary key. */
export type Mapping = Record<string, unknown>;

const NOTHING: object = Object.freeze(Object.create(null));

/**
 * Uses a frozen empty prototype: V8 stores an object without a prototype as a hash table, which takes several times
 * the memory.
 */
export function createMapping(): Mapping {
  return Object.create(NOTHING) as Mapping;
}

export type Path = readonly (string | number)[];

/** A problem at an offset; the caller adds the code family and converts the offset to lines. */
export interface TreeProblem {
  readonly number: ShapeNumber;
  readonly message: string;
  readonly range: Range;
  readonly related: { readonly message: string; readonly range: Range } | null;
  readonly help: string | null;
}

export interface YamlTree {
  readonly data: unknown;
  readonly problems: readonly TreeProblem[];
  /** Finds the key and value nodes at a path. Follows aliases on the path, but not at its end. */
  readonly find: (path: Path) => Found | null;
}

export interface Found {
  readonly key: PlacedNode | null;
  readonly value: PlacedNode | null;
}

/** A key or value in the text, independent of the parser. */
export interface PlacedNode {
  readonly range: Range;
  readonly isScalar: boolean;
  /** The first key, if the node is a mapping and not an alias of one. */
  readonly firstKey: Range | null;
}

/** Start and end offset; the end is exclusive. */
export type Range = readonly [number, number];

export const MAX_DEPTH = 64;
const MAX_EXPANDED_ALIASES = 10_000;
/** These two bound the size that a small file can expand to through aliases of large values. */
const MAX_EXPANDED_NODES = 1_000_000;
const MAX_EXPANDED_CHARACTERS = 16 * 1024 * 1024;

interface Built {
  readonly data: unknown;
  readonly height: number;
  readonly aliases: number;
  readonly nodes: number;
  /** Of all its scalars. */
  readonly characters: number;
}

interface Anchor {
  readonly node: Node;
  /** Null while the anchored value is still being built: an alias to it then contains itself. */
  built: Built | null;
}

/** Stands in for a value that is missing, invalid or too large to expand. */
const EMPTY: Built = { data: null, height: 0, aliases: 0, nodes: 1, characters: 0 };

export function buildTree(root: Node | null): YamlTree {
  const problems: TreeProblem[] = [];
  const anchors = new Map<string, Anchor>();
  const aliasTargets = new Map<Node, Node>();
  let tooBig = false;

  const report = (number: ShapeNumber, node: Node, message: string, help: string | null = null): void => {
    problems.push({ number, message, range: rangeOf(node), related: null, help });
  };

  const build = (node: Node | null, depth: number): Built => {
    if (node === null) return EMPTY;
    if (isAlias(node)) return buildAlias(node, depth);
    const anchor = 'anchor' in node && typeof node.anchor === 'string' ? node.anchor : null;
    if (anchor === null) return buildPlain(node, depth);
    const entry: Anchor = { node, built: null };
    anchors.set(anchor, entry);
    entry.built = buildPlain(node, depth);
    return entry.built;
  };

  const buildPlain = (node: Node, depth: number): Built => {
    if (isScalar(node)) return buildScalar(node.value);
    if (depth >= MAX_DEPTH) {
      if (!tooBig) report('004', node, `the document is nested more than ${MAX_DEPTH} levels deep`);
      tooBig = true;
      return EMPTY;
    }
    if (isSeq(node)) {
      const items = node.items.map((item) => build(item as Node | null, depth + 1));
      return collect(
        node,
        items.map((item) => item.data),
        items,
      );
    }
    if (isMap(node)) return buildMap(node, depth);
    return EMPTY;
  };

  const buildMap = (map: YAMLMap, depth: number): Built => {
    const data = createMapping();
    const keys = new Map<string, Node>();
    const merged: Built[] = [];
    const parts: Built[] = [];
    for (const pair of map.items as Pair<Node, Node | null>[]) {
      const key = keyText(pair.key);
      const value = build(pair.value, depth + 1);
      parts.push(value);
      if (key === null) {
        report('009', pair.key, 'a key is a list or a mapping, but text is expected');
      } else if (isMergeKey(pair.key)) {
        report(
          '005',
          pair.key,
          'merge keys (`<<`) are not supported',
          'write out the keys, or alias each value',
        );
        merged.push(value);
      } else {
        const first = keys.get(key);
        if (first === undefined) {
          keys.set(key, pair.key);
          data[key] = value.data;
        } else {
          problems.push(duplicateKey(key, rangeOf(pair.key), rangeOf(first)));
        }
      }
    }
    // Fill in the merged values anyway, so that one unsupported merge key is not also reported as missing keys.
    for (const source of merged) fillFrom(data, source.data);
    return collect(map, data, parts);
  };

  const collect = (node: Node, data: unknown, parts: readonly Built[]): Built => {
    let [height, aliases, nodes, characters] = [0, 0, 1, 0];
    for (const part of parts) {
      height = Math.max(height, part.height);
      aliases += part.aliases;
      nodes += part.nodes;
      characters += part.characters;
    }
    if (!tooBig && aliases > MAX_EXPANDED_ALIASES) {
      tooBig = true;
      report('004', node, `the aliases expand to more than ${MAX_EXPANDED_ALIASES} aliases`);
    } else if (!tooBig && aliases > 0 && nodes > MAX_EXPANDED_NODES) {
      tooBig = true;
      report('004', node, `the aliases expand to more than ${MAX_EXPANDED_NODES} values`);
    } else if (!tooBig && aliases > 0 && characters > MAX_EXPANDED_CHARACTERS) {
      tooBig = true;
      report('004', node, `the aliases expand to more than ${MAX_EXPANDED_CHARACTERS} characters`);
    }
    return tooBig ? EMPTY : { data, height: height + 1, aliases, nodes, characters };
  };

  const buildAlias = (alias: Alias, depth: number): Built => {
    const anchor = anchors.get(alias.source);
    if (anchor === undefined) {
      report('002', alias, `the alias \`*${alias.source}\` has no anchor before it`);
      return EMPTY;
    }
    if (anchor.built === null) {
      report('004', alias, `the alias \`*${alias.source}\` contains itself`);
      return EMPTY;
    }
    if (!tooBig && depth + anchor.built.height > MAX_DEPTH) {
      tooBig = true;
      report('004', alias, `the document is nested more than ${MAX_DEPTH} levels deep`);
    }
    aliasTargets.set(alias, anchor.node);
    return { ...anchor.built, aliases: anchor.built.aliases + 1 };
  };

  const { data } = build(root, 0);
  const follow = (node: Node | null): Node | null =>
    node === null ? null : (aliasTargets.get(node) ?? node);
  return { data: tooBig ? null : data, problems, find: createFinder(root, follow) };
}

function duplicateKey(key: string, range: Range, first: Range): TreeProblem {
  return {
    number: '006',
    message: `the key \`${key}\` is given twice`,
    range,
    related: { message: 'first given here', range: first },
    help: null,
  };
}

function buildScalar(data: unknown): Built {
  return { data, height: 0, aliases: 0, nodes: 1, characters: typeof data === 'string' ? data.length : 0 };
}

type Follow = (node: Node | null) => Node | null;
interface FoundNodes {
  readonly key: Node | null;
  readonly value: Node | null;
}

type Pairs = ReadonlyMap<string, Pair<Node, Node | null>>;

/** Indexes each mapping on first use, so that a lookup takes one step per path part. */
function createFinder(root: Node | null, follow: Follow): (path: Path) => Found | null {
  const pairsByMap = new WeakMap<YAMLMap, Pairs>();

  const pairsOf = (map: YAMLMap): Pairs => {
    const known = pairsByMap.get(map);
    if (known !== undefined) return known;
    const pairs = new Map<string, Pair<Node, Node | null>>();
    for (const pair of map.items as Pair<Node, Node | null>[]) {
      const key = keyText(pair.key);
      if (key !== null && !pairs.has(key)) pairs.set(key, pair);
    }
    pairsByMap.set(map, pairs);
    return pairs;
  };

  const child = (node: Node | null, part: string | number): FoundNodes | null => {
    if (isSeq(node)) {
      if (typeof part !== 'number' || part >= node.items.length) return null;
      return { key: null, value: node.items[part] as Node | null };
    }
    if (!isMap(node)) return null;
    const pairs = pairsOf(node);
    const pair = pairs.get(String(part));
    if (pair !== undefined) return { key: pair.key, value: pair.value };
    const merged = pairs.get('<<');
    return merged !== undefined && isMergeKey(merged.key) ? child(follow(merged.value), part) : null;
  };

  return (path) => {
    let found: FoundNodes = { key: null, value: root };
    for (const part of path) {
      const next = child(follow(found.value), part);
      if (next === null) return null;
      found = next;
    }
    return { key: placeNode(found.key), value: placeNode(found.value) };
  };
}

function fillFrom(data: Mapping, source: unknown): void {
  if (Array.isArray(source)) {
    for (const item of source) fillFrom(data, item);
  } else if (source !== null && typeof source === 'object') {
    for (const [key, value] of Object.entries(source)) if (!(key in data)) data[key] = value;
  }
}

function isMergeKey(key: Node): boolean {
  return isScalar(key) && key.value === '<<' && key.type === 'PLAIN';
}

/** The text of a key; null for a key that is a collection. */
function keyText(key: Node): string | null {
  if (!isScalar(key)) return null;
  return typeof key.value === 'string' ? key.value : (key.source ?? String(key.value));
}

function placeNode(node: Node | null): PlacedNode | null {
  if (node === null) return null;
  const first = isMap(node) ? (node.items[0]?.key as Node | null | undefined) : null;
  return { range: rangeOf(node), isScalar: isScalar(node), firstKey: first ? rangeOf(first) : null };
}

function rangeOf(node: Node): Range {
  const range = node.range;
  return range ? [range[0], range[1]] : [0, 0];
}
