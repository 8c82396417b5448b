/** Cuts the recipes that a command runs out of a Makefile or a justfile, with all that is no recipe. */

/** What `make` and `just` have in common: rules by name, with dependencies and a body. */
interface Rules {
  /** Lines outside of every rule: variables, includes, settings. */
  readonly others: readonly string[];
  readonly rules: readonly Rule[];
}

interface Rule {
  readonly names: readonly string[];
  readonly needs: readonly string[];
  readonly lines: readonly string[];
}

export interface Recipes {
  /** The text that decides what runs; null where a target has no rule. */
  readonly text: string | null;
  /** The bodies, as lines for a shell. */
  readonly lines: readonly string[];
  /** Targets that make takes for files: if a file of that name exists, it has nothing to do. */
  readonly fileTargets: readonly string[];
}

const MAKE_RULE = /^([^\s#=:][^#=:]*?)\s*::?(?![=:])\s*([^;#]*)(?:;(.*))?(?:#.*)?$/;
const JUST_RULE = /^@?([A-Za-z_][\w-]*)((?:\s+[^:]*)?)\s*:(?!=)\s*([^#]*)(?:#.*)?$/;

/** just has lines such as `[private]` before a recipe. */
const ATTRIBUTE = /^\[.*\]$/;

/** A longer line is no head of a rule. The text of now is written by an agent, and the patterns are not linear. */
const MAX_HEAD = 2_000;

/** Targets that say how make works, such as `.IGNORE`; those that only list targets are left out. */
const SPECIAL = /^\.(?!PHONY|SUFFIXES|PRECIOUS|SECONDARY|INTERMEDIATE)[A-Z_]+$/;

export function makeRecipes(text: string, targets: readonly string[]): Recipes {
  const { others, rules } = readRules(joined(text), (line) => {
    const match = MAKE_RULE.exec(line);
    if (match === null) return null;
    const [, names = '', needs = '', body] = match;
    return { names: words(names), needs: words(needs.replace('|', ' ')), body: body ?? null };
  });
  const first = rules.flatMap(({ names }) => names).find((name) => !name.startsWith('.'));
  return cut(others, rules, targets.length > 0 ? targets : [first ?? ''], (rule, name) =>
    rule.names.some((each) => each === name || matchesPattern(each, name)),
  );
}

export function justRecipes(text: string, targets: readonly string[]): Recipes {
  const { others, rules } = readRules(joined(text), (line) => {
    const match = JUST_RULE.exec(line);
    if (match === null) return null;
    const [, name = '', , needs = ''] = match;
    return { names: [name], needs: words(needs.replace(/[()&]/g, ' ')), body: null };
  });
  const first = rules[0]?.names[0] ?? '';
  return cut(others, rules, targets.length > 0 ? targets : [first], (rule, name) =>
    rule.names.includes(name),
  );
}

interface Head {
  readonly names: readonly string[];
  readonly needs: readonly string[];
  readonly body: string | null;
}

function readRules(lines: readonly string[], readHead: (line: string) => Head | null): Rules {
  const others: string[] = [];
  const rules: { names: readonly string[]; needs: readonly string[]; lines: string[] }[] = [];
  let open: { lines: string[] } | null = null;
  for (const line of lines) {
    if (line.trim() === '' || /^\s*#/.test(line) || ATTRIBUTE.test(line)) continue;
    if (/^\s/.test(line) && open !== null) {
      open.lines.push(line.trim());
      continue;
    }
    const head = line.length > MAX_HEAD ? null : readHead(line);
    if (head === null) {
      others.push(line.trim());
      // A conditional may stand between the lines of a rule.
      if (!/^(?:ifn?eq|ifn?def|else|endif)\b/.test(line)) open = null;
      continue;
    }
    const rule = { ...head, lines: head.body === null ? [] : [head.body.trim()] };
    rules.push(rule);
    open = rule;
  }
  return { others, rules };
}

/** The rules of the targets and of everything that they need. */
function cut(
  others: readonly string[],
  rules: readonly Rule[],
  targets: readonly string[],
  isOf: (rule: Rule, name: string) => boolean,
): Recipes {
  const open = [...targets];
  const taken = new Set<Rule>();
  const made = new Set<string>();
  let complete = true;
  for (const name of open) {
    const found = rules.filter((rule) => isOf(rule, name));
    if (targets.includes(name) && found.length === 0) complete = false;
    if (found.length > 0) made.add(name);
    for (const rule of found) {
      if (taken.has(rule)) continue;
      taken.add(rule);
      open.push(...rule.needs);
    }
  }
  const chosen = rules.filter((rule) => taken.has(rule) || rule.names.some((name) => SPECIAL.test(name)));
  const lines = chosen.flatMap((rule) => rule.lines);
  const phony = new Set(rules.filter(({ names }) => names.includes('.PHONY')).flatMap(({ needs }) => needs));
  const fileTargets = [...made].filter((name) => !phony.has(name));
  const texts = chosen.map((rule) => JSON.stringify([rule.names, rule.needs, rule.lines]));
  const text = [...linesInUse(others, texts), ...texts];
  return { text: complete ? text.join('\n') : null, lines: lines.map(commandOf), fileTargets };
}

const ASSIGNMENT = /^(?:override\s+)?([\w.-]+)\s*(?::{0,3}|[?+!])=/;

/** Of more variables than this, all count: to look for each in all others would take too long. */
const MAX_VARIABLES = 500;

/** Variables that change how every recipe runs. */
const FOR_ALL = /^(?:SHELL|MAKE\w*|\.\w+|VPATH|PATH)$/;

/** Lines outside of the rules without the variables that none of the recipes uses, not even by way of another variable. */
function linesInUse(others: readonly string[], recipes: readonly string[]): readonly string[] {
  const nameOf = (line: string) => ASSIGNMENT.exec(line)?.[1] ?? null;
  const used = others.filter((line) => {
    const name = nameOf(line);
    return name === null || FOR_ALL.test(name);
  });
  const isUsed = new Set(used);
  const rest = new Set(others.filter((line) => !isUsed.has(line)));
  if (rest.size > MAX_VARIABLES) return others;
  const texts = [...recipes, ...used];
  for (const text of texts)
    for (const line of rest)
      if (mentions(text, nameOf(line) ?? '')) {
        rest.delete(line);
        texts.push(line);
      }
  return others.filter((line) => !rest.has(line));
}

function mentions(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1))
    if (!/[\w-]/.test(`${text[at - 1] ?? ''}${text[at + name.length] ?? ''}`)) return true;
  return false;
}

/** Without the signs that only say whether a line is printed, and whether its failure counts. */
function commandOf(line: string): string {
  return line.replace(/^[@+\s-]+/, '').replace(/\$[({]MAKE[)}]/g, 'make');
}

function matchesPattern(pattern: string, name: string): boolean {
  const [before, after] = pattern.split('%');
  if (before === undefined || after === undefined) return false;
  return name.startsWith(before) && name.endsWith(after) && name.length > before.length + after.length;
}

function joined(text: string): string[] {
  return text
    .replace(/\r\n/g, '\n')
    .replace(/\\\n\s*/g, ' ')
    .split('\n');
}

function words(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}
