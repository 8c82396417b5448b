import {
  goTestRepro,
  gradleRepro,
  jestRepro,
  mavenRepro,
  mochaRepro,
  nextestRepro,
  nodeTestRepro,
  playwrightRepro,
  pytestRepro,
  vitestRepro,
} from '../repro-lines.ts';
import { type Invoked, pathFrom } from '../test-results.ts';
import type { JunitCase, JunitDocument } from './junit-xml.ts';

/** Runners that write JUnit, as far as their output or the command identifies them. */
export type Dialect =
  | 'vitest'
  | 'jest'
  | 'mocha'
  | 'playwright'
  | 'node'
  | 'pytest'
  | 'go'
  | 'nextest'
  | 'maven'
  | 'gradle'
  | 'unknown';

const SPEC_FILE = /\.(?:spec|test)\.[cm]?[jt]sx?$/;

/** Checks the document first, because a command such as `npm test` doesn't identify the runner. */
export function detectDialect(document: JunitDocument, { command }: Invoked): Dialect {
  const { root, cases, suiteNames, properties } = document;
  const runs = (pattern: RegExp) => command.some((word) => pattern.test(word));
  if (root.name === 'vitest tests') return 'vitest';
  if (root.name === 'jest tests') return 'jest';
  if (suiteNames.includes('Mocha Tests')) return 'mocha';
  if (root.name?.startsWith('nextest') === true) return 'nextest';
  if (suiteNames.includes('pytest') || root.name === 'pytest tests') return 'pytest';
  if (properties.includes('go.version')) return 'go';
  if (
    Object.entries(root).some(
      ([name, value]) => name.includes('SchemaLocation') && value.includes('surefire'),
    )
  )
    return 'maven';
  if (cases.length > 0 && cases.every(({ className }) => className === 'test' || className === 'suite'))
    return 'node';
  if (root.id !== undefined && cases.length > 0 && cases.every(({ className }) => SPEC_FILE.test(className)))
    return 'playwright';
  if (runs(/^vitest$/)) return 'vitest';
  if (runs(/^jest$/)) return 'jest';
  if (runs(/^_?mocha$/)) return 'mocha';
  if (runs(/^playwright$/)) return 'playwright';
  if (runs(/(?:^|\/)(?:pytest|py\.test)$/)) return 'pytest';
  if (runs(/^(?:gotestsum|go-junit-report|go)$/)) return 'go';
  if (runs(/(?:^|\/)mvnw?$/)) return 'maven';
  return runs(/(?:^|\/)gradlew?$/) ? 'gradle' : 'unknown';
}

export interface Identity {
  readonly id: string;
  readonly repro: string | null;
  readonly location?: string | null;
}

export function identify(item: JunitCase, dialect: Dialect, invoked: Invoked): Identity {
  const { className, name } = item;
  const { command, folders } = invoked;
  const file = item.file === null ? null : pathFrom(folders, item.file);
  switch (dialect) {
    case 'vitest':
      return vitestIdentity(pathFrom(folders, className), name, command);
    case 'jest':
      return {
        id: file === null ? name : `${file} > ${name}`,
        repro: jestRepro(command, { file, name }),
        location: file,
      };
    case 'mocha': {
      const titles = [className, name].filter((part) => part !== '');
      return {
        id: [...(file === null ? [] : [file]), ...titles].join(' > '),
        repro: mochaRepro(command, { file, name: titles.join(' ') }),
        location: file,
      };
    }
    case 'playwright': {
      const titles = name.split(' › ');
      const place = { file: className, line: null, project: '', name: titles.at(-1) ?? name };
      return {
        id: [className, ...titles].join(' > '),
        repro: playwrightRepro(command, place),
        location: className,
      };
    }
    case 'node':
      return nodeIdentity(item, file, invoked);
    case 'pytest': {
      const nodeId = pytestNodeId(className, name, file);
      return { id: nodeId, repro: pytestRepro(command, nodeId), location: nodeId.replace(/::.*$/s, '') };
    }
    case 'go':
      return goIdentity(item);
    case 'nextest':
      return {
        id: `${className} ${name}`,
        repro: nextestRepro(className, name),
        location: findPanicLocation(item),
      };
    case 'maven':
      return { id: plainId(item), repro: mavenRepro(className, name) };
    case 'gradle':
      return { id: plainId(item), repro: gradleRepro(className, name) };
    case 'unknown':
      return { id: plainId(item), repro: null };
  }
}

/** Vitest lists a file that failed to load as a test named after the file. */
function vitestIdentity(file: string, name: string, command: readonly string[]): Identity {
  if (file === '' || name === file)
    return { id: name, repro: vitestRepro(command, { file: name, name: null }), location: name };
  const fullName = name.replaceAll(' > ', ' ');
  return { id: `${file} > ${name}`, repro: vitestRepro(command, { file, name: fullName }), location: file };
}

function nodeIdentity(item: JunitCase, file: string | null, { command, folders }: Invoked): Identity {
  // Node's reporter escapes quotes twice.
  const unescapeQuotes = (text: string) => text.replaceAll('&quot;', '"');
  const suites = item.suites.map(unescapeQuotes);
  const written = unescapeQuotes(item.name);
  const name = pathFrom(folders, written);
  if (name !== written) return { id: name, repro: nodeTestRepro(command, name, []), location: name };
  const place = file ?? findFileInStack(item, folders);
  return {
    id: [...suites, name].join(' > '),
    // A test with subtests is also written as a suite.
    repro: nodeTestRepro(command, place, [...suites, name]),
    location: place,
  };
}

/** Rust reports the file of a panic relative to the workspace root. */
function findPanicLocation({ outcomeElements, output }: JunitCase): string | null {
  const texts = [...outcomeElements.flatMap(({ message, text }) => [text, message]), output];
  const found = texts.flatMap((text) => /panicked at (?:'.*', )?([\w./-]+\.rs:\d+)/.exec(text)?.[1] ?? []);
  return found[0] ?? null;
}

/** Older versions of Node name the file only in the stack of a failure, as a URL. */
function findFileInStack({ outcomeElements }: JunitCase, folders: readonly string[]): string | null {
  for (const start of folders.flatMap((folder) => [`${folder}/`, `${encodeURI(folder)}/`])) {
    for (const { text } of outcomeElements) {
      const at = text.indexOf(start);
      const path = at < 0 ? undefined : /^[^\n]*?(?=:\d)/.exec(text.slice(at + start.length))?.[0];
      if (path !== undefined && !path.includes('node_modules/')) return decodePath(path);
    }
  }
  return null;
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** pytest writes modules and classes as one dotted name; the trailing parts that start with a capital are classes. */
function pytestNodeId(className: string, name: string, file: string | null): string {
  if (className === '') return `${name.replaceAll('.', '/')}.py`;
  const parts = className.split('.');
  const module = file === null ? null : file.replace(/\.py$/, '').split('/');
  if (module?.every((part, index) => parts[index] === part) === true)
    return [file, ...parts.slice(module.length), name].join('::');
  const lastModule = parts.findLastIndex((part) => !/^[A-Z]/.test(part));
  const length = lastModule < 0 ? parts.length : lastModule + 1;
  return [`${parts.slice(0, length).join('/')}.py`, ...parts.slice(length), name].join('::');
}

/** Suites are packages; the class is the package without its path, or empty if the package could not be built. */
function goIdentity({ className, name, suites }: JunitCase): Identity {
  const suite = suites.at(-1) ?? '';
  const path = className === '' || suite.endsWith(`/${className}`) ? suite : className;
  // `TestMain` stands for the package itself and can't be selected as a test.
  const test = name === 'TestMain' ? null : name;
  return { id: path === '' ? name : `${path}.${name}`, repro: goTestRepro(path, test) };
}

/** A failure of a whole class has no name, and some runners include the class name in the test name. */
function plainId({ className, name, suites }: JunitCase): string {
  if (className === '') return [...suites, name].filter((part) => part !== '').join(' > ');
  if (name === '') return className;
  return name.startsWith(className) || name.endsWith(` ${className}`) ? name : `${className}.${name}`;
}
