import { commandLine, patternOf, quoteText, quoteWord } from '../text/shell-words.ts';

/** Command lines that run one test again and that a person can paste. `name` is the full name of a test. */

interface JavaScriptTest {
  readonly file: string | null;
  readonly name: string | null;
}

export function vitestRepro(command: readonly string[], { file, name }: JavaScriptTest): string {
  const kept = keptOptions(command, ['--config', '-c', '--root', '-r', '--project', '--dir']);
  return line('npx vitest run', [...kept, ...words(file)], name === null ? [] : ['-t', pattern(name)]);
}

export function jestRepro(command: readonly string[], { file, name }: JavaScriptTest): string {
  const kept = keptOptions(command, ['--config', '-c', '--rootDir', '--selectProjects']);
  return line('npx jest', [...kept, ...words(file)], name === null ? [] : ['-t', pattern(name)]);
}

export function mochaRepro(command: readonly string[], { file, name }: JavaScriptTest): string {
  const kept = keptOptions(command, MOCHA_OPTIONS);
  const grep = name === null ? [] : ['-g', pattern(name)];
  if (file !== null) return line('npx mocha', [...kept, file], grep);
  // The files of the command are searched; what makes a report of it would hide the result.
  const at = command.findIndex((word) => REPORT_OPTION.test(word));
  const start = at < 0 ? command : command.slice(0, at);
  return [
    commandLine(start),
    ...(start.includes('--') || !/^npm$/.test(start[0] ?? '') ? [] : ['--']),
    ...grep,
  ].join(' ');
}

const MOCHA_OPTIONS = ['--config', '--require', '-r', '--import', '--loader', '--ui', '-u', '--package'];
const REPORT_OPTION = /^(?:--reporter|-R$)/;

export function playwrightRepro(
  command: readonly string[],
  test: {
    readonly file: string;
    readonly line: number | null;
    readonly project: string;
    readonly name: string;
  },
): string {
  const place = test.line === null ? test.file : `${test.file}:${test.line}`;
  const grep = test.line === null ? ['-g', pattern(test.name)] : [];
  const project = test.project === '' ? [] : [quoteWord(`--project=${test.project}`)];
  return line(
    'npx playwright test',
    [...keptOptions(command, ['--config', '-c']), place],
    [...grep, ...project],
  );
}

/**
 * Where the file is not known, the files of the command itself are searched. Node skips a test that matches no pattern,
 * and its subtests with it, so `names` has the tests around a subtest too.
 */
export function nodeTestRepro(
  command: readonly string[],
  file: string | null,
  names: readonly string[],
): string {
  const files = file === null ? nodeTestFiles(command) : [file];
  const chosen = names.map((name) => `--test-name-pattern=${pattern(name)}`);
  const kept = keptOptions(command, NODE_OPTIONS).map(quoteWord);
  return [nodeProgram(command), ...kept, '--test', ...chosen, ...files.map(quoteWord)].join(' ');
}

const NODE_OPTIONS = ['--import', '--require', '-r', '--loader', '--experimental-loader', '--env-file', '-C'];

/** Tests in TypeScript may need the program that their script starts instead of Node. */
function nodeProgram(command: readonly string[]): string {
  const program = command.slice(0, command.indexOf('--test')).findLast((word) => /^(?:node|tsx)$/.test(word));
  return program === 'tsx' ? 'npx tsx' : 'node';
}

export function pytestRepro(command: readonly string[], nodeId: string): string {
  const at = command.findIndex((word) => /(?:^|\/)(?:pytest|py\.test)$/.test(word));
  const start = at < 0 ? 'pytest' : commandLine(command.slice(0, at + 1));
  return `${start} ${quoteWord(nodeId)}`;
}

/** Without a name, or without a package, as much as is known. */
export function goTestRepro(packagePath: string, name: string | null): string {
  const place = `go test ${packagePath === '' ? './...' : quoteWord(packagePath)}`;
  if (name === null) return place;
  const exact = name.split('/').map((part) => `^${patternOf(part)}$`);
  return `${place} -run ${quoteText(exact.join('/'))}`;
}

export function nextestRepro(binary: string, name: string): string {
  return `cargo nextest run -E ${quoteText(`binary_id(${binary}) & test(=${name})`)}`;
}

export function mavenRepro(className: string, method: string): string {
  return `mvn test ${quoteWord(`-Dtest=${javaTest(className, '#', method)}`)}`;
}

export function gradleRepro(className: string, method: string): string {
  return `./gradlew test --tests ${quoteText(javaTest(className, '.', method))}`;
}

/** Parameters can't be chosen; without a method it is the whole class. */
function javaTest(className: string, sign: '#' | '.', method: string): string {
  const plain = method.replace(/[([{].*$/s, '');
  return plain === '' ? className : `${className}${sign}${plain}`;
}

function line(start: string, places: readonly string[], rest: readonly string[]): string {
  return [start, ...places.map(quoteWord), ...rest].join(' ');
}

function words(file: string | null): string[] {
  return file === null ? [] : [file];
}

function pattern(name: string): string {
  return quoteText(patternOf(name));
}

/** Options without which the same test would not be found, as the command has them. */
function keptOptions(command: readonly string[], names: readonly string[]): string[] {
  return command.flatMap((word, index) => {
    if (names.some((name) => name.startsWith('--') && word.startsWith(`${name}=`))) return [word];
    const value = command[index + 1];
    return names.includes(word) && value !== undefined ? [word, value] : [];
  });
}

/** What stands behind `node --test` and is neither an option nor the value of one. */
function nodeTestFiles(command: readonly string[]): string[] {
  const start = command.indexOf('--test');
  if (start < 0) return [];
  return command
    .slice(start + 1)
    .filter((word, index, all) => !word.startsWith('-') && !takesValue(all[index - 1] ?? ''));
}

function takesValue(word: string): boolean {
  return /^--(?:test-(?:reporter|reporter-destination|name-pattern|skip-pattern|concurrency|timeout|shard)|import|require|loader)$|^-r$/.test(
    word,
  );
}
