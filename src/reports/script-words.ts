const MANAGERS = ['npm', 'pnpm', 'yarn', 'bun'];
/** Script names that package managers accept without `run`. */
const SHORT_NAMES: Readonly<Record<string, string>> = { t: 'test', tst: 'test', test: 'test' };
/** A script may call another one; more calls than this mean a cycle. */
const MAX_CALLS = 8;

/** The words of the package script that a command runs, and of the scripts it calls; empty if it runs none. */
export function scriptWords(command: readonly string[], manifest: string): string[] {
  const scripts = readScripts(manifest);
  const words: string[] = [];
  let next: readonly string[] = command;
  for (let call = 0; call < MAX_CALLS; call += 1) {
    const script = scripts[calledScript(next) ?? ''];
    if (typeof script !== 'string') break;
    next = splitWords(script);
    words.push(...next);
  }
  return words;
}

/** The name of the package script that a command runs; null if it runs none. */
export function calledScript(words: readonly string[]): string | null {
  const at = words.findIndex((word) => MANAGERS.includes(word));
  if (at < 0) return null;
  const [verb = '', name = ''] = words.slice(at + 1);
  if (verb === 'run' || verb === 'run-script') return name === '' ? null : name;
  if (words[at] !== 'npm' && words[at] !== 'bun' && /^[\w:.-]+$/.test(verb)) return SHORT_NAMES[verb] ?? verb;
  return words[at] === 'bun' ? null : (SHORT_NAMES[verb] ?? null);
}

/** Splits a line into words without quotes; sufficient for options and file names. */
export function splitWords(line: string): string[] {
  return [...line.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g)].map(([word]) => word.replaceAll(/["']/g, ''));
}

function readScripts(manifest: string): Readonly<Record<string, unknown>> {
  try {
    const { scripts } = JSON.parse(manifest.replace(/^\ufeff/, '')) as { scripts?: unknown };
    return typeof scripts === 'object' && scripts !== null ? { ...scripts } : {};
  } catch {
    return {};
  }
}
