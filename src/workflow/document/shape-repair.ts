import * as z from 'zod/mini';
import { didYouMean } from '../../diagnostics/did-you-mean.ts';
import { createMapping, type Mapping, type Path } from '../yaml/yaml-tree.ts';
import { knownKeysAt } from './schema-walk.ts';
import { flattenIssues, type ShapeIssue, valueAt } from './shape-issues.ts';

/**
 * The result of a check that corrects typos. A misspelt key or opcode hides the values below it and also looks like a
 * missing key. So it is reported once, corrected in a copy, and the copy is checked again: one typo, one diagnostic.
 */
export interface Repaired {
  readonly issues: readonly RepairedIssue[];
  readonly data: unknown;
  /** Maps a path in the copy to the path in the text. */
  readonly original: (path: Path) => Path;
}

export interface RepairedIssue {
  readonly issue: ShapeIssue;
  /** The key or value that the typo was corrected to. */
  readonly meant: string | null;
}

/** A corrected key can reveal a misspelt value, and that value further keys. The round after these only reports. */
const MAX_REPAIR_ROUNDS = 4;

/** Each repair copies the values around it. A document with more typos than this has other problems. */
const MAX_REPAIRS = 200;

/** Users read a screenful of problems, but a malicious file can have a hundred thousand. */
const MAX_ISSUES = 1000;

/** `isClaimed` issues get a more specific diagnostic from the caller, so they are reported as they are, not repaired. */
export function repairAndCheck(
  schema: z.core.$ZodType,
  given: unknown,
  isClaimed: (issue: ShapeIssue, data: unknown) => boolean,
): Repaired {
  const renamed = new Map<string, string>();
  const reported: RepairedIssue[] = [];
  let data = given;
  for (let round = 0; ; round += 1) {
    const result = z.safeParse(schema, data, { jitless: true });
    const found = result.success ? [] : flattenIssues(result.error.issues, data);
    const issues = found.slice(0, MAX_ISSUES);
    let isChanged = false;
    const rest: RepairedIssue[] = [];
    for (const issue of issues) {
      const mayRepair = round < MAX_REPAIR_ROUNDS && reported.length < MAX_REPAIRS && !isClaimed(issue, data);
      const repair = mayRepair ? findRepair(schema, issue, data) : null;
      if (repair === null) {
        rest.push({ issue, meant: null });
        continue;
      }
      isChanged = true;
      data = repair.apply(data);
      if (repair.renamedFrom !== null) renamed.set(JSON.stringify(repair.path), repair.renamedFrom);
      reported.push({ issue: repair.issue, meant: repair.meant });
    }
    if (!isChanged) {
      return { issues: [...reported, ...rest], data, original: (path) => originalPath(path, renamed) };
    }
  }
}

interface Repair {
  readonly issue: ShapeIssue;
  readonly meant: string;
  readonly path: Path;
  readonly renamedFrom: string | null;
  readonly apply: (data: unknown) => unknown;
}

function findRepair(schema: z.core.$ZodType, issue: ShapeIssue, data: unknown): Repair | null {
  switch (issue.kind) {
    case 'choice': {
      if (!issue.discriminator || typeof issue.found !== 'string') return null;
      const meant = didYouMean(issue.found, issue.choices);
      if (meant === null) return null;
      const key = issue.path.at(-1) ?? '';
      const apply = (value: unknown) =>
        editAt(value, issue.path.slice(0, -1), (mapping) =>
          Object.assign(createMapping(), mapping, { [key]: meant }),
        );
      return { issue, meant, path: issue.path, renamedFrom: null, apply };
    }
    case 'unknown_key':
      return renameKey(issue.path, knownKeysAt(schema, issue.path.slice(0, -1), data), data);
    case 'missing': {
      if (!issue.discriminator) return null;
      const parent = issue.path.slice(0, -1);
      const wanted = String(issue.path.at(-1));
      const near = didYouMean(wanted, Object.keys(valueAt(data, parent) ?? {}));
      return near === null ? null : renameKey([...parent, near], [wanted], data);
    }
    default:
      return null;
  }
}

function renameKey(path: Path, known: readonly string[], data: unknown): Repair | null {
  const parent = path.slice(0, -1);
  const key = String(path.at(-1));
  const present = valueAt(data, parent) ?? {};
  const meant = didYouMean(
    key,
    known.filter((candidate) => !Object.hasOwn(present, candidate)),
  );
  if (meant === null) return null;
  const apply = (value: unknown) =>
    editAt(value, parent, (mapping) => {
      const copy = createMapping();
      for (const [name, item] of Object.entries(mapping)) copy[name === key ? meant : name] = item;
      return copy;
    });
  return { issue: { kind: 'unknown_key', path }, meant, path: [...parent, meant], renamedFrom: key, apply };
}

function originalPath(path: Path, renamed: ReadonlyMap<string, string>): Path {
  if (renamed.size === 0) return path;
  return path.map((part, index) => renamed.get(JSON.stringify(path.slice(0, index + 1))) ?? part);
}

/** Copies the data with one mapping replaced; values off the path are shared. */
function editAt(data: unknown, path: Path, edit: (mapping: Mapping) => Mapping): unknown {
  const [part, ...rest] = path;
  if (part === undefined) return edit(data as Mapping);
  if (Array.isArray(data))
    return data.map((item, index) => (index === part ? editAt(item, rest, edit) : item));
  const copy: Mapping = Object.assign(createMapping(), data);
  copy[part] = editAt(copy[part], rest, edit);
  return copy;
}
