import { readLine } from '../command/shell/read-line.ts';
import { isFixed } from '../command/shell/shell-word.ts';

/** A command with the folder it runs in, relative to the repository. */
export interface Started {
  readonly words: readonly string[];
  readonly folder: string;
  /** Whether a file that it starts may be the code under test: a check starts that, too, and compares its output. */
  readonly mayBeSubject?: boolean;
}

/** Something in a file that a command runs or goes by. */
export interface Part {
  /** The file that counts is the first of them that exists. */
  readonly paths: readonly string[];
  /** Such as `scripts.test`; null for the whole file. */
  readonly name: string | null;
  /** Whether the texts of the base and of now differ in this part. Null: the file is gone. */
  readonly differs: (base: string, now: string | null) => boolean;
  /** Whether the file changes the command by existing: the base did not have it. */
  readonly countsIfAdded?: boolean;
}

/** What a command leads to: parts to compare, and further commands. */
export interface Lead {
  readonly parts?: readonly Part[];
  readonly next?: readonly Started[];
}

/** How a lead is followed. */
export interface Trail {
  /** The text at the base; null where there is no such file, or where it is still to be read. */
  readonly read: (path: string) => string | null;
  /** Paths of the change: the only files in which anything can differ. */
  readonly changed: readonly string[];
  /** Whether a file is put back as at the base for a second validation, which says more than that it changed. */
  readonly isJudge: (path: string) => boolean;
}

export function wholeFile(path: string): Part {
  return { paths: [path], name: null, differs: (base, now) => base !== now };
}

/** A part of a file that can be cut out as text. */
export function partOf(
  paths: readonly string[],
  name: string | null,
  cut: (text: string) => string | null,
): Part {
  return { paths, name, differs: (base, now) => cut(base) !== (now === null ? null : cut(now)) };
}

/** A path in the repository, or null for one that leads out of it or that only the running shell knows. */
export function pathIn(folder: string, path: string): string | null {
  if (path === '' || path.startsWith('/') || path.startsWith('~') || /[$*?`]/.test(path)) return null;
  const parts: string[] = [];
  for (const part of `${folder}/${path}`.split('/')) {
    if (part === '..' && parts.pop() === undefined) return null;
    if (part !== '' && part !== '.' && part !== '..') parts.push(part);
  }
  return parts.join('/');
}

/** Programs that pass their input on and compare nothing. */
const PASSING_ON = new Set(['tee', 'cat']);

/**
 * The commands of a line for a shell, each in the folder that `cd` has led to. In the text of a script, and where its
 * output is read, a program may be the code under test.
 */
export function commandsOfLine(line: string, folder: string, where: 'line' | 'script' = 'line'): Started[] {
  const commands: Started[] = [];
  let current = folder;
  const { segments } = readLine(line);
  segments.forEach(({ words, redirections, next, substituted }, index) => {
    const [first, second] = words;
    if (first === undefined || !isFixed(first)) return;
    if ((first.text === 'cd' || first.text === 'pushd') && second !== undefined) {
      current = pathIn(current, second.text) ?? current;
      return;
    }
    const reader = next === '|' ? segments[index + 1]?.words[0]?.text : undefined;
    const isKept = redirections.some(
      ({ operator, target }) => operator === '>' && target.text !== '/dev/null',
    );
    const isRead = substituted || isKept || (reader !== undefined && !PASSING_ON.has(reader));
    const mayBeSubject = where === 'script' || isRead;
    commands.push({ words: words.map(({ text }) => text), folder: current, mayBeSubject });
  });
  return commands;
}

export interface ReadOptions {
  /** Values of options that take one, by name; the last one counts. */
  readonly values: ReadonlyMap<string, string>;
  readonly flags: ReadonlySet<string>;
  readonly operands: readonly string[];
}

/** Options as `--name value`, `--name=value` or `-n value`; what comes after `--` belongs to another program. */
export function readOptions(args: readonly string[], withValue: readonly string[]): ReadOptions {
  const values = new Map<string, string>();
  const flags = new Set<string>();
  const operands: string[] = [];
  for (let index = 0; index < args.length; index += 1) {
    const word = args[index] ?? '';
    if (word === '--') break;
    const [name, value] = word.startsWith('--') ? splitAtEquals(word) : [word];
    if (!word.startsWith('-') || word === '-') operands.push(word);
    else if (value !== undefined) values.set(name, value);
    else if (withValue.includes(name)) {
      index += 1;
      values.set(name, args[index] ?? '');
    } else flags.add(name);
  }
  return { values, flags, operands };
}

function splitAtEquals(word: string): [string, string?] {
  const at = word.indexOf('=');
  return at < 0 ? [word] : [word.slice(0, at), word.slice(at + 1)];
}
