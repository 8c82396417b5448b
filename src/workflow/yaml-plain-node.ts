import type { Found, Mapping, Path, PlacedNode, YamlTree } from './yaml-tree.ts';

/** What the plain reader makes of a text: data together with where it stands. */
export type PlainNode = PlainScalar | PlainSequence | PlainMapping;

export interface PlainScalar {
  readonly kind: 'scalar';
  readonly data: unknown;
  readonly start: number;
  readonly end: number;
}

export interface PlainSequence {
  readonly kind: 'sequence';
  readonly data: readonly unknown[];
  readonly start: number;
  readonly end: number;
  readonly items: readonly PlainNode[];
}

export interface PlainMapping {
  readonly kind: 'mapping';
  readonly data: Mapping;
  readonly start: number;
  readonly end: number;
  readonly pairs: readonly PlainPair[];
}

export interface PlainPair {
  readonly key: PlainKey;
  readonly value: PlainNode;
}

export interface PlainKey {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** The text is read again for its places, and only if somebody asks for one. */
export function createPlainTree(data: unknown, readPlaces: () => PlainNode | null): YamlTree {
  let root: PlainNode | null = null;
  const pairsByMapping = new Map<PlainMapping, ReadonlyMap<string, PlainPair>>();

  // Most documents are never asked for more than a few places, so an index is made when it is needed.
  const pairsOf = (mapping: PlainMapping): ReadonlyMap<string, PlainPair> => {
    const known = pairsByMapping.get(mapping);
    if (known !== undefined) return known;
    const pairs = new Map(mapping.pairs.map((pair) => [pair.key.name, pair]));
    pairsByMapping.set(mapping, pairs);
    return pairs;
  };

  const find = (path: Path): Found | null => {
    let key: PlainKey | null = null;
    root ??= readPlaces();
    if (root === null) return null;
    let value = root;
    for (const part of path) {
      switch (value.kind) {
        case 'scalar':
          return null;
        case 'sequence': {
          const item: PlainNode | undefined = typeof part === 'number' ? value.items[part] : undefined;
          if (item === undefined) return null;
          key = null;
          value = item;
          break;
        }
        case 'mapping': {
          const pair: PlainPair | undefined = pairsOf(value).get(String(part));
          if (pair === undefined) return null;
          key = pair.key;
          value = pair.value;
          break;
        }
      }
    }
    return { key: key === null ? null : placeKey(key), value: placeNode(value) };
  };

  return { data, problems: [], find };
}

function placeKey(key: PlainKey): PlacedNode {
  return { range: [key.start, key.end], isScalar: true, firstKey: null };
}

function placeNode(node: PlainNode): PlacedNode {
  const first = node.kind === 'mapping' ? node.pairs[0]?.key : undefined;
  return {
    range: [node.start, node.end],
    isScalar: node.kind === 'scalar',
    firstKey: first === undefined ? null : [first.start, first.end],
  };
}
