import * as z from 'zod/mini';
import { FORMS, type FormName } from '../../contracts/forms.ts';
import { type Family, type ShapeNumber, shapeCode } from '../../diagnostics/codes.ts';
import { createDiagnostic, type Diagnostic } from '../../diagnostics/diagnostic.ts';
import { didYouMean } from '../../diagnostics/did-you-mean.ts';
import { cutText } from '../../text/shorten.ts';
import type { YamlSource } from '../yaml/yaml-source.ts';
import { createMapping, type Mapping, type Path } from '../yaml/yaml-tree.ts';
import { limitFaults, limitUnknownKeys } from './fault-limit.ts';
import { surelyFits } from './schema-fit.ts';
import { knownKeysAt, purposeAt } from './schema-walk.ts';
import type { ShapeIssue } from './shape-issues.ts';
import { repairAndCheck } from './shape-repair.ts';

export interface ShapeRequest<Schema extends z.core.$ZodType> {
  readonly family: Family;
  readonly schema: Schema;
  readonly source: YamlSource;
  /** Top-level maps whose keys are names that the user chooses; `x-` has no meaning there. */
  readonly nameMaps: readonly string[];
  /** Returns a more specific diagnostic for an issue; null uses the general one. */
  readonly override: (issue: ShapeIssue, data: unknown, source: YamlSource) => Diagnostic | null;
  /** Names a mapping for messages: "a RUN_AGENT step". */
  readonly describe: (path: Path, data: unknown) => string;
}

export interface ShapeResult<Schema extends z.core.$ZodType> {
  readonly diagnostics: readonly Diagnostic[];
  /** Null if there is any diagnostic. */
  readonly value: z.output<Schema> | null;
  /** The document without `x-` keys and with misspelt keys corrected, for the checks that follow. */
  readonly data: unknown;
  /** Locates paths of `data` in the text. */
  readonly source: YamlSource;
}

/** Checks a document against its schema and reports all problems, one diagnostic per cause. */
export function checkShape<Schema extends z.core.$ZodType>(
  request: ShapeRequest<Schema>,
): ShapeResult<Schema> {
  const { schema, source } = request;
  const all = withoutFreeKeys(source.data, request.nameMaps);
  if (surelyFits(schema, all)) return { diagnostics: [], value: all as z.output<Schema>, data: all, source };
  const given = limitUnknownKeys(schema, all);
  const limited = limitFaults(schema, given);
  const parsed = z.safeParse(schema, limited, { jitless: true });
  if (parsed.success && limited === given)
    return { diagnostics: [], value: parsed.data, data: given, source };
  const isClaimed = (issue: ShapeIssue, data: unknown) => request.override(issue, data, source) !== null;
  const { issues, data, original } = repairAndCheck(schema, limited, isClaimed);
  const relocated = relocateSource(source, original);
  const diagnostics = issues.map(
    ({ issue, meant }) =>
      request.override(issue, data, relocated) ??
      describeIssue(issue, meant, { ...request, source: relocated }, data),
  );
  // Later rules need the entries past the limit too: a route may lead to one of them.
  if (limited !== given) return { diagnostics, value: null, data: given, source };
  return { diagnostics, value: null, data, source: relocated };
}

function relocateSource(source: YamlSource, original: (path: Path) => Path): YamlSource {
  return {
    ...source,
    locate: (path, part) => source.locate(original(path), part),
    locateFirstKey: (path) => source.locateFirstKey(original(path)),
    locateText: (path, piece) => source.locateText(original(path), piece),
    sourceText: (path) => source.sourceText(original(path)),
  };
}

function describeIssue<Schema extends z.core.$ZodType>(
  issue: ShapeIssue,
  meant: string | null,
  request: ShapeRequest<Schema>,
  data: unknown,
): Diagnostic {
  const { source } = request;
  const parent = issue.path.slice(0, -1);
  const report = (
    number: ShapeNumber,
    message: string,
    help: string | null,
    place = source.locate(issue.path, 'value'),
  ) => createDiagnostic(shapeCode(request.family, number), { message, span: place, help });
  switch (issue.kind) {
    case 'unknown_key': {
      const key = String(issue.path.at(-1));
      const known = knownKeysAt(request.schema, parent, data);
      const near = meant ?? didYouMean(key, known);
      const help = near === null ? knownKeysHelp(known) : `did you mean \`${near}\`?`;
      return report(
        '007',
        `unknown key \`${key}\` in ${request.describe(parent, data)}`,
        help,
        source.locate(issue.path, 'key'),
      );
    }
    case 'missing': {
      const key = String(issue.path.at(-1));
      const message = `${request.describe(parent, data)} has no \`${key}\``;
      // A list entry has no key, so the diagnostic points at the first key inside it.
      const named = typeof parent.at(-1) === 'string';
      const place = named ? source.locate(parent, 'key') : source.locateFirstKey(parent);
      const purpose = purposeAt(request.schema, issue.path, data);
      return report('008', message, `add \`${key}\`${purpose === null ? '' : `: ${purpose}`}`, place);
    }
    case 'type': {
      const message = `${describeSubject(issue.path)} is ${describeValue(issue.found)}, but ${issue.wanted} is expected`;
      return report('009', message, typeHelp(issue, source));
    }
    case 'choice': {
      const near = meant ?? (typeof issue.found === 'string' ? didYouMean(issue.found, issue.choices) : null);
      const list = issue.choices.map((choice) => `\`${choice}\``).join(', ');
      const help =
        near === null
          ? `use ${issue.choices.length > 1 ? 'one of ' : ''}${list}`
          : `did you mean \`${near}\`?`;
      return report(
        '010',
        `${describeSubject(issue.path)} is ${describeValue(issue.found)}, which is not one of its values`,
        help,
      );
    }
    case 'bound':
      return report('011', `${describeSubject(issue.path)} ${issue.message}`, null);
    case 'form':
      return describeForm(issue.form, issue.path, issue.found, report);
  }
}

function describeForm(
  form: FormName,
  path: Path,
  value: unknown,
  report: (number: ShapeNumber, message: string, help: string | null) => Diagnostic,
): Diagnostic {
  const { wanted, help } = FORMS[form];
  if (value === '' || form === 'notBlank') return report('011', `${describeSubject(path)} is empty`, help);
  return report('011', `${describeSubject(path)} is ${describeValue(value)}, which is not ${wanted}`, help);
}

/** A number or boolean in place of text is almost always text without quotes. */
function typeHelp(issue: Extract<ShapeIssue, { kind: 'type' }>, source: YamlSource): string | null {
  if (typeof issue.found === 'string') return unquoteHelp(issue.found, issue.wanted);
  const plain = typeof issue.found === 'number' || typeof issue.found === 'boolean';
  if (!plain || !issue.wanted.startsWith('text')) return null;
  return `put it in quotes: \`"${source.sourceText(issue.path) ?? String(issue.found)}"\``;
}

/** The reverse: a quoted number or boolean, a YAML 1.1 boolean such as `yes`, or a plain text in place of a list. */
function unquoteHelp(text: string, wanted: string): string | null {
  const truth = wanted === '`true` or `false`' ? TRUTHS.get(text.toLowerCase()) : undefined;
  if (truth !== undefined) return `write \`${truth}\``;
  const list = wanted === 'a list' ? flowList(text) : null;
  if (list !== null) return `make it a list: \`${list}\``;
  const number = wanted.endsWith('number') && /^\d+(?:\.\d+)?$/.test(text);
  return number ? `remove the quotes: \`${text}\`` : null;
}

const TRUTHS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['yes', true],
  ['on', true],
  ['false', false],
  ['no', false],
  ['off', false],
]);

/** Words that need no quotes in a list, as those of most commands. */
const LIST_WORDS = /^\s*[\w./=-]+(?:\s+[\w./=-]+)*\s*$/;

/** `npm test` as the YAML list `[npm, test]`; null if a word would need quotes or a shell. */
export function flowList(text: string): string | null {
  return LIST_WORDS.test(text) ? `[${text.trim().split(/\s+/).join(', ')}]` : null;
}

function knownKeysHelp(known: readonly string[]): string | null {
  if (known.length === 0) return null;
  return `the keys here are ${known.map((key) => `\`${key}\``).join(', ')}; keys of your own start with \`x-\``;
}

function describeSubject(path: Path): string {
  const last = path.at(-1);
  if (last === undefined) return 'the document';
  if (typeof last === 'string') return `\`${last}\``;
  const list = path.findLast((part) => typeof part === 'string');
  return `entry ${last + 1} of \`${list ?? 'the list'}\``;
}

/** Longer values are cut in messages. */
const MAX_QUOTED = 60;

function describeValue(value: unknown): string {
  if (value === null || value === undefined) return 'empty';
  if (Array.isArray(value)) return 'a list';
  switch (typeof value) {
    case 'string':
      return `the text "${cutText(value, MAX_QUOTED)}"`;
    case 'number':
      return `the number ${value}`;
    case 'boolean':
      return String(value);
    default:
      return 'a mapping';
  }
}

/** Removes `x-` keys. Returns the same object if there are none, which is the common case. */
function withoutFreeKeys(value: unknown, nameMaps: readonly string[]): unknown {
  const strip = (current: unknown, depth: number, names: boolean): unknown => {
    if (current === null || typeof current !== 'object') return current;
    if (Array.isArray(current)) {
      let items: unknown[] = current;
      for (const [index, item] of current.entries()) {
        const stripped = strip(item, depth + 1, false);
        if (stripped === item) continue;
        if (items === current) items = [...current];
        items[index] = stripped;
      }
      return items;
    }
    const given = current as Mapping;
    let changes: Map<string, unknown> | null = null;
    const keys = Object.keys(given);
    for (const key of keys) {
      const kept = names || !key.startsWith('x-');
      const stripped = kept ? strip(given[key], depth + 1, depth === 0 && nameMaps.includes(key)) : undefined;
      if (stripped === given[key]) continue;
      changes ??= new Map();
      changes.set(key, stripped);
    }
    if (changes === null) return current;
    const copy = createMapping();
    for (const key of keys) {
      const kept = changes.has(key) ? changes.get(key) : given[key];
      if (kept !== undefined) copy[key] = kept;
    }
    return copy;
  };
  return strip(value, 0, false);
}
