import { ownValue } from '../../contracts/own-value.ts';
import { plainWord } from '../shell/grammar/shell-word.ts';
import { unwrapCalls } from '../shell/programs/wrappers.ts';
import { BUILD_PROGRAMS } from './build-files.ts';
import {
  commandsOfLine,
  type Lead,
  type Part,
  pathIn,
  readOptions,
  type Started,
  type Trail,
  wholeFile,
} from './command-part.ts';
import { entryParts } from './package-entries.ts';
import {
  followConcurrently,
  followManager,
  followScript,
  followScriptPatterns,
  joinLeads,
  packageProgram,
} from './package-scripts.ts';

/** Folders of the code under test, which a check imports as well. */
const CODE_FOLDERS = new Set(['', 'src', 'lib', 'app', 'source']);
const SCRIPT = /\.[cm]?[jt]sx?$/;
const ENDINGS = ['', '.js', '.mjs', '.cjs', '.ts', '/index.js'];

/**
 * The files that a check script imports from its own folder, which are part of the check. Imports from elsewhere
 * may be the code under test. A name without an extension is returned with each possible one.
 */
function importedFiles(path: string, text: string): string[] {
  const folder = path.slice(0, Math.max(0, path.lastIndexOf('/')));
  if (CODE_FOLDERS.has(folder)) return [];
  if (path.endsWith('.py')) {
    const modules = [...text.matchAll(/^[ \t]*(?:import|from)[ \t]+\.?([A-Za-z_]\w{0,80})/gm)];
    return modules.map(([, name = '']) => `${folder}/${name}.py`);
  }
  if (!SCRIPT.test(path)) return [];
  const names = [
    ...text.matchAll(/(?:\bfrom|\bimport|\brequire\s*\(|\bimport\s*\()\s*["'](\.\/[^"'\n]{1,200})["']/g),
  ];
  return names.flatMap(([, name = '']) =>
    ENDINGS.flatMap((ending) => pathIn(folder, `${name}${ending}`) ?? []),
  );
}

/** Maximum number of commands followed for one validator; more than this means a loop or a build system. */
const MAX_COMMANDS = 200;

/** Everything in the repository that defines what a command does, found by following it from file to file. */
export function traceCommand(command: readonly string[], folder: string, trail: Trail): Part[] {
  const pending: Started[] = [{ words: command, folder }];
  const seen = new Set<string>();
  const manifests = trail.changed.filter((path) => /(?:^|\/)package\.json$/.test(path));
  const parts: Part[] = manifests.flatMap(entryParts);
  for (const started of pending) {
    for (const { words } of unwrapCalls(started.words.map(plainWord)).calls) {
      const call = { ...started, words: words.map(({ text }) => text) };
      const key = JSON.stringify(call);
      if (seen.has(key) || seen.size >= MAX_COMMANDS) continue;
      seen.add(key);
      const lead = followCall(call, trail);
      parts.push(...(lead.parts ?? []));
      pending.push(...(lead.next ?? []));
    }
  }
  return parts;
}

const SHELL = /^(?:ba|da|z|k|a)?sh$/;
const PYTHON = /^(?:python|pypy)[\d.]*$/;
const INTERPRETER = /^(?:node|nodejs|tsx|ts-node|bun|deno|ruby|perl|php|pwsh)[\d.]*$/;
/** Interpreter options that take a value. */
const INTERPRETER_VALUES = ['-r', '--require', '--import', '--loader', '--env-file', '-I', '-W', '-X', '-o'];

/** Programs of packages that read keys of a package.json. */
const PACKAGE_PROGRAMS = new Set([
  'vitest',
  'jest',
  'mocha',
  'ava',
  'tap',
  'nyc',
  'c8',
  'jasmine',
  'playwright',
  'cypress',
  'eslint',
  'prettier',
  'stylelint',
  'standard',
  'xo',
  'react-scripts',
]);

function followCall(started: Started, trail: Trail): Lead {
  const { words, folder } = started;
  const [first = '', ...args] = words;
  const program = first.slice(first.lastIndexOf('/') + 1);
  const call = { ...started, words: args };
  const own: Lead = first.includes('/') ? followFile(first, call, trail) : {};
  return joinLeads([own, followProgram(program, call, trail), followOptions(program, args, folder, trail)]);
}

/** `call` contains the words after the program. */
function followProgram(program: string, call: Started, trail: Trail): Lead {
  const { words: args, folder } = call;
  if (SHELL.test(program)) return followShell(call, trail);
  if (PYTHON.test(program)) return followPython(call, trail);
  if (PACKAGE_PROGRAMS.has(program)) return { parts: packageProgram(folder, program) };
  switch (program) {
    case '.':
    case 'source':
      return args[0] === undefined ? {} : followFile(args[0], { ...call, mayBeSubject: true }, trail, true);
    case 'npm':
    case 'pnpm':
    case 'yarn':
      return followManager(program, args, folder, trail);
    case 'bun':
      return joinLeads([
        followManager(program, args, folder, trail),
        followInterpreter({ ...call, words: args.filter(isFileOrOption) }, trail),
      ]);
    case 'run-s':
    case 'run-p':
    case 'npm-run-all':
    case 'npm-run-all2':
      return followScriptPatterns(args, folder, trail);
    case 'concurrently':
      return followConcurrently(args, folder, trail);
    default: {
      const build = ownValue(BUILD_PROGRAMS, program)?.(args, folder, trail) ?? {};
      if (!INTERPRETER.test(program)) return build;
      const own = program === 'deno' ? args.filter(isFileOrOption) : args;
      return joinLeads([build, followInterpreter({ ...call, words: own }, trail)]);
    }
  }
}

/** Bun and Deno accept verbs and script names where others accept a file. */
function isFileOrOption(word: string): boolean {
  return word.startsWith('-') || /[./]/.test(word);
}

/** Handles `sh -c LINE` and `sh FILE`. */
function followShell(call: Started, trail: Trail): Lead {
  const { words: args, folder, mayBeSubject = false } = call;
  const at = args.findIndex((word) => /^-[a-z]*c$/.test(word));
  const line = at < 0 ? undefined : args[at + 1];
  if (line !== undefined) return { next: commandsOfLine(line, folder, mayBeSubject ? 'script' : 'line') };
  const file = readOptions(args, ['-o', '-O']).operands[0];
  return file === undefined ? {} : followFile(file, call, trail, true);
}

/** Handles `python FILE` and `python -m MODULE`, which may be in the repository. */
function followPython(call: Started, trail: Trail): Lead {
  const { words: args } = call;
  const at = args.findIndex((word) => /^-[A-Za-z]*m$/.test(word));
  const module = at < 0 ? undefined : args[at + 1];
  if (module === undefined) return followInterpreter(call, trail);
  const path = module.replaceAll('.', '/');
  const files = ['.py', '/__main__.py'].map((ending) => `${path}${ending}`);
  return joinLeads([
    ...files.map((file) => followFile(file, call, trail)),
    { next: [{ ...call, words: [module, ...args.slice(at + 2)] }] },
  ]);
}

/** The program of an interpreter is its first operand. With `--test`, the operands are tests. */
function followInterpreter(call: Started, trail: Trail): Lead {
  const { words: args, folder } = call;
  const { values, flags, operands } = readOptions(args, [...INTERPRETER_VALUES, '--run', '-e', '-p', '-c']);
  const script = values.get('--run');
  if (script !== undefined) return followScript(folder, script, trail);
  const loaded = ['-r', '--require', '--import', '--loader'].flatMap((name) => values.get(name) ?? []);
  const isTest = [...flags].some((flag) => flag === '--test' || flag.startsWith('--test-'));
  const [file] = operands;
  return joinLeads([
    ...loaded.filter((path) => path.startsWith('.')).map((path) => followFile(path, call, trail)),
    ...(file === undefined || isTest ? [] : [followFile(file, call, trail)]),
  ]);
}

const SCRIPT_LINE = /^#!.*\b(?:ba|da|z|k)?sh\b/;

/** Matches a file name that says it is a check. */
const CHECK_NAME =
  /(?:^|[^a-z])(?:tests?|specs?|checks?|lint|verify|validate|ci|unit|integration|e2e|smoke|suite|asserts?|assertions?|expect)(?:[^a-z]|$)/i;

/**
 * A program in the repository; the commands of a shell script are followed further. A program that may be the code
 * under test counts only if its name says that it is a check.
 */
function followFile(word: string, { folder, mayBeSubject }: Started, trail: Trail, isShell = false): Lead {
  const path = pathIn(folder, word);
  if (path === null || path === '') return {};
  if (mayBeSubject === true && !CHECK_NAME.test(path)) return {};
  const text = trail.read(path);
  const isShellScript = text !== null && (isShell || /\.(?:sh|bash)$/.test(path) || SCRIPT_LINE.test(text));
  const imported = text === null ? [] : importedFiles(path, text).filter((each) => trail.read(each) !== null);
  return {
    parts: trail.isJudge(path) ? [] : [wholeFile(path)],
    next: isShellScript
      ? commandsOfLine(text, folder, 'script')
      : imported.map((each) => ({ words: [`./${each}`], folder: '' })),
  };
}

const CONFIG_OPTIONS = ['--config', '--config-file', '--configuration', '--project', '--require', '--rcfile'];
const SHORT_CONFIG_OPTIONS: Readonly<Record<string, readonly string[]>> = {
  jest: ['-c'],
  vitest: ['-c'],
  playwright: ['-c'],
  pytest: ['-c'],
  phpunit: ['-c'],
  eslint: ['-c'],
  mocha: ['-r'],
  tsc: ['-p', '-b'],
  'vue-tsc': ['-p', '-b'],
};

/** Configuration that the command names explicitly. */
function followOptions(program: string, args: readonly string[], folder: string, trail: Trail): Lead {
  const names = [...CONFIG_OPTIONS, ...(ownValue(SHORT_CONFIG_OPTIONS, program) ?? [])];
  const { values } = readOptions(args, names);
  const paths = names.flatMap((name) => values.get(name) ?? []).flatMap((path) => pathIn(folder, path) ?? []);
  return { parts: paths.filter((path) => path !== '' && !trail.isJudge(path)).map(wholeFile) };
}
