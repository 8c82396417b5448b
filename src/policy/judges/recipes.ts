/**
 * Extracts the recipes that a command runs from a Makefile or a justfile, together with everything outside recipes.
 */

/** The common structure of `make` and `just`: named rules with dependencies and a body. */
interface Rules {
  /** Lines outside rules: variables, includes, settings. */
  readonly others: readonly string[];
  readonly rules: readonly Rule[];
}

interface Rule {
  readonly names: readonly string[];
  readonly needs: readonly string[];
  readonly lines: readonly string[];
}

export interface Recipes {
  /** The text that decides what runs; null if a target has no rule. */
  readonly text: string | null;
  /** The bodies, as shell lines. */
  readonly lines: readonly string[];
  /** Targets that make treats as files: if a file of that name exists, make doesn't run the recipe. */
  readonly fileTargets: readonly string[];
}

const MAKE_RULE = /^([^\s#=:][^#=:]*?)\s*::?(?![=:])\s*([^;#]*)(?:;(.*))?(?:#.*)?$/;
const JUST_RULE = /^@?([A-Za-z_][\w-]*)((?:\s+[^:]*)?)\s*:(?!=)\s*([^#]*)(?:#.*)?$/;

/** In a justfile, lines such as `[private]` precede a recipe. */
const ATTRIBUTE = /^\[.*\]$/;

/**
 * A longer line isn't the head of a rule. An agent writes the current text, and the patterns don't run in linear
 * time.
 */
const MAX_HEAD = 2_000;

/** Targets that change how make works, such as `.IGNORE`; those that only list targets are excluded. */
const SPECIAL = /^\.(?!PHONY|SUFFIXES|PRECIOUS|SECONDARY|INTERMEDIATE)[A-Z_]+$/;

export function makeRecipes(text: string, targets: readonly string[]): Recipes {
  const { others, rules } = readRules(splitLines(text), (line) => {
    const match = MAKE_RULE.exec(line);
    if (match === null) return null;
    const [, names = '', needs = '', body] = match;
    return { names: splitWords(names), needs: splitWords(needs.replace('|', ' ')), body: body ?? null };
  });
  const first = rules.flatMap(({ names }) => names).find((name) => !name.startsWith('.'));
  return selectRules(others, rules, targets.length > 0 ? targets : [first ?? ''], (rule, name) =>
    rule.names.some((each) => each === name || matchesPattern(each, name)),
  );
}

export function justRecipes(text: string, targets: readonly string[]): Recipes {
  const { others, rules } = readRules(splitLines(text), (line) => {
    const match = JUST_RULE.exec(line);
    if (match === null) return null;
    const [, name = '', , needs = ''] = match;
    return { names: [name], needs: splitWords(needs.replace(/[()&]/g, ' ')), body: null };
  });
  const first = rules[0]?.names[0] ?? '';
  return selectRules(others, rules, targets.length > 0 ? targets : [first], (rule, name) =>
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
  let pending: { lines: string[] } | null = null;
  for (const line of lines) {
    if (line.trim() === '' || /^\s*#/.test(line) || ATTRIBUTE.test(line)) continue;
    if (/^\s/.test(line) && pending !== null) {
      pending.lines.push(line.trim());
      continue;
    }
    const head = line.length > MAX_HEAD ? null : readHead(line);
    if (head === null) {
      others.push(line.trim());
      // A conditional may appear between the lines of a rule.
      if (!/^(?:ifn?eq|ifn?def|else|endif)\b/.test(line)) pending = null;
      continue;
    }
    const rule = { ...head, lines: head.body === null ? [] : [head.body.trim()] };
    rules.push(rule);
    pending = rule;
  }
  return { others, rules };
}

/** Selects the rules of the targets and of all their dependencies. */
function selectRules(
  others: readonly string[],
  rules: readonly Rule[],
  targets: readonly string[],
  isOf: (rule: Rule, name: string) => boolean,
): Recipes {
  const pending = [...targets];
  const taken = new Set<Rule>();
  const targetsWithRule = new Set<string>();
  let isComplete = true;
  for (const name of pending) {
    const found = rules.filter((rule) => isOf(rule, name));
    if (targets.includes(name) && found.length === 0) isComplete = false;
    if (found.length > 0) targetsWithRule.add(name);
    for (const rule of found) {
      if (taken.has(rule)) continue;
      taken.add(rule);
      pending.push(...rule.needs);
    }
  }
  const chosen = rules.filter((rule) => taken.has(rule) || rule.names.some((name) => SPECIAL.test(name)));
  const lines = chosen.flatMap((rule) => rule.lines);
  const phony = new Set(rules.filter(({ names }) => names.includes('.PHONY')).flatMap(({ needs }) => needs));
  const fileTargets = [...targetsWithRule].filter((name) => !phony.has(name));
  const texts = chosen.map((rule) => JSON.stringify([rule.names, rule.needs, rule.lines]));
  const text = [...dropUnusedVariables(others, texts), ...texts];
  return { text: isComplete ? text.join('\n') : null, lines: lines.map(commandOf), fileTargets };
}

const ASSIGNMENT = /^(?:override\s+)?([\w.-]+)\s*(?::{0,3}|[?+!])=/;

/** With more variables than this, all of them count: checking each against all others would take too long. */
const MAX_VARIABLES = 500;

/** Variables that affect every recipe. */
const FOR_ALL = /^(?:SHELL|MAKE\w*|\.\w+|VPATH|PATH)$/;

/** Lines outside rules, without the variables that no recipe uses directly or through another variable. */
function dropUnusedVariables(others: readonly string[], recipes: readonly string[]): readonly string[] {
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

/** Removes the prefixes that only control printing and failure handling. */
function commandOf(line: string): string {
  return line.replace(/^[@+\s-]+/, '').replace(/\$[({]MAKE[)}]/g, 'make');
}

function matchesPattern(pattern: string, name: string): boolean {
  const [before, after] = pattern.split('%');
  if (before === undefined || after === undefined) return false;
  return name.startsWith(before) && name.endsWith(after) && name.length > before.length + after.length;
}

function splitLines(text: string): string[] {
  return text
    .replace(/\r\n/g, '\n')
    .replace(/\\\n\s*/g, ' ')
    .split('\n');
}

function splitWords(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}
