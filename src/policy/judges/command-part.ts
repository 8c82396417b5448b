import { readLine } from '../shell/grammar/read-line.ts';
import { isFixed } from '../shell/grammar/shell-word.ts';

/** A command with the folder it runs in, relative to the repository. */
export interface Started {
  readonly words: readonly string[];
  readonly folder: string;
  /** Whether a file that it starts may be the code under test: a check also starts that, to compare its output. */
  readonly mayBeSubject?: boolean;
}

/** A part of a file that a command runs or reads. */
export interface Part {
  /** The first of these files that exists counts. */
  readonly paths: readonly string[];
  /** Such as `scripts.test`; null for the whole file. */
  readonly name: string | null;
  /** Whether this part differs between the base and now. Null means that the file was deleted. */
  readonly differs: (base: string, now: string | null) => boolean;
  /** Whether adding the file changes the command, even though the base did not have it. */
  readonly countsIfAdded?: boolean;
}

/** What a command leads to: parts to compare, and further commands. */
export interface Lead {
  readonly parts?: readonly Part[];
  readonly next?: readonly Started[];
}

/** The context in which leads are followed. */
export interface Trail {
  /** The text at the base; null if the file doesn't exist or has not been read yet. */
  readonly read: (path: string) => string | null;
  /** Paths of the change: only these files can differ. */
  readonly changed: readonly string[];
  /**
   * Whether a file is restored to the base for a second validation, which is stronger evidence than the fact that
   * it changed.
   */
  readonly isJudge: (path: string) => boolean;
}

export function wholeFile(path: string): Part {
  return { paths: [path], name: null, differs: (base, now) => base !== now };
}

/** A part of a file that can be extracted as text. */
export function partOf(
  paths: readonly string[],
  name: string | null,
  cut: (text: string) => string | null,
): Part {
  return { paths, name, differs: (base, now) => cut(base) !== (now === null ? null : cut(now)) };
}

/** A path in the repository; null if it leads out of it or is only known at run time. */
export function pathIn(folder: string, path: string): string | null {
  if (path === '' || path.startsWith('/') || path.startsWith('~') || /[$*?`]/.test(path)) return null;
  const parts: string[] = [];
  for (const part of `${folder}/${path}`.split('/')) {
    if (part === '..' && parts.pop() === undefined) return null;
    if (part !== '' && part !== '.' && part !== '..') parts.push(part);
  }
  return parts.join('/');
}

/** Programs that pass on their input and check nothing. */
const PASS_THROUGH = new Set(['tee', 'cat']);

/**
 * The commands of a shell line, each with the folder that `cd` has changed to. In a script, or where its output is
 * read, a program may be the code under test.
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
    const isWrittenToFile = redirections.some(
      ({ operator, target }) => operator === '>' && target.text !== '/dev/null',
    );
    const isRead = substituted || isWrittenToFile || (reader !== undefined && !PASS_THROUGH.has(reader));
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

/** Reads options as `--name value`, `--name=value` or `-n value`; words after `--` belong to another program. */
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
