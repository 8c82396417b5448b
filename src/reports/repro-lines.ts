import { escapePattern, formatCommand, quoteText, quoteWord } from '../text/shell-words.ts';

/** Command lines that run one test again and that a user can paste. `name` is the full name of a test. */

interface JavaScriptTest {
  readonly file: string | null;
  readonly name: string | null;
}

export function vitestRepro(command: readonly string[], { file, name }: JavaScriptTest): string {
  const kept = keptOptions(command, ['--config', '-c', '--root', '-r', '--project', '--dir']);
  return joinLine(
    'npx vitest run',
    [...kept, ...fileArguments(file)],
    name === null ? [] : ['-t', pattern(name)],
  );
}

export function jestRepro(command: readonly string[], { file, name }: JavaScriptTest): string {
  const kept = keptOptions(command, ['--config', '-c', '--rootDir', '--selectProjects']);
  return joinLine('npx jest', [...kept, ...fileArguments(file)], name === null ? [] : ['-t', pattern(name)]);
}

export function mochaRepro(command: readonly string[], { file, name }: JavaScriptTest): string {
  const kept = keptOptions(command, MOCHA_OPTIONS);
  const grep = name === null ? [] : ['-g', pattern(name)];
  if (file !== null) return joinLine('npx mocha', [...kept, file], grep);
  // Without a file, the files of the original command are searched. Options for a report are dropped, because they
  // would hide the result.
  const at = command.findIndex((word) => REPORT_OPTION.test(word));
  const start = at < 0 ? command : command.slice(0, at);
  return [
    formatCommand(start),
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
  return joinLine(
    'npx playwright test',
    [...keptOptions(command, ['--config', '-c']), place],
    [...grep, ...project],
  );
}

/**
 * If the file is unknown, the files of the original command are searched. Node skips a test that matches no
 * pattern, including its subtests, so `names` also contains the parents of a subtest.
 */
export function nodeTestRepro(
  command: readonly string[],
  file: string | null,
  names: readonly string[],
): string {
  const files = file === null ? nodeTestFiles(command) : [file];
  const patterns = names.map((name) => `--test-name-pattern=${pattern(name)}`);
  const kept = keptOptions(command, NODE_OPTIONS).map(quoteWord);
  return [nodeProgram(command), ...kept, '--test', ...patterns, ...files.map(quoteWord)].join(' ');
}

const NODE_OPTIONS = ['--import', '--require', '-r', '--loader', '--experimental-loader', '--env-file', '-C'];

/** Tests in TypeScript may need the program that their script starts instead of Node. */
function nodeProgram(command: readonly string[]): string {
  const program = command.slice(0, command.indexOf('--test')).findLast((word) => /^(?:node|tsx)$/.test(word));
  return program === 'tsx' ? 'npx tsx' : 'node';
}

export function pytestRepro(command: readonly string[], nodeId: string): string {
  const at = command.findIndex((word) => /(?:^|\/)(?:pytest|py\.test)$/.test(word));
  const start = at < 0 ? 'pytest' : formatCommand(command.slice(0, at + 1));
  return `${start} ${quoteWord(nodeId)}`;
}

/** Without a name or a package, the command is as specific as possible. */
export function goTestRepro(packagePath: string, name: string | null): string {
  const place = `go test ${packagePath === '' ? './...' : quoteWord(packagePath)}`;
  if (name === null) return place;
  const exact = name.split('/').map((part) => `^${escapePattern(part)}$`);
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

/** Parameters can't be selected; without a method, the whole class runs. */
function javaTest(className: string, sign: '#' | '.', method: string): string {
  const plain = method.replace(/[([{].*$/s, '');
  return plain === '' ? className : `${className}${sign}${plain}`;
}

function joinLine(start: string, places: readonly string[], rest: readonly string[]): string {
  return [start, ...places.map(quoteWord), ...rest].join(' ');
}

function fileArguments(file: string | null): string[] {
  return file === null ? [] : [file];
}

function pattern(name: string): string {
  return quoteText(escapePattern(name));
}

/** The options of the command that are needed to find the same test. */
function keptOptions(command: readonly string[], names: readonly string[]): string[] {
  return command.flatMap((word, index) => {
    if (names.some((name) => name.startsWith('--') && word.startsWith(`${name}=`))) return [word];
    const value = command[index + 1];
    return names.includes(word) && value !== undefined ? [word, value] : [];
  });
}

/** The words after `node --test` that are neither options nor their values. */
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
