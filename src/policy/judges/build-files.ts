import picomatch from 'picomatch/posix.js';
import {
  commandsOfLine,
  type Lead,
  type Part,
  partOf,
  pathIn,
  readOptions,
  type Trail,
  wholeFile,
} from './command-part.ts';
import { lockedPackages } from './locked-packages.ts';
import { followScript, joinLeads, jsonPart, scriptsIn } from './package-scripts.ts';
import { justRecipes, makeRecipes, type Recipes } from './recipes.ts';
import { tomlTables } from './toml-tables.ts';

/** Files that programs other than package managers read: Makefiles, tables of a pyproject.toml, build files. */

function inFolder(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}

interface RecipeForm {
  /** In the order in which the program looks for them. */
  readonly names: readonly string[];
  readonly withValue: readonly string[];
  readonly file: readonly string[];
  readonly folder: readonly string[];
  readonly cut: (text: string, targets: readonly string[]) => Recipes;
  /** Whether a target counts as done if a file of its name exists. */
  readonly makesFiles: boolean;
}

const MAKE: RecipeForm = {
  names: ['GNUmakefile', 'makefile', 'Makefile'],
  withValue: ['-C', '--directory', '-f', '--file', '--makefile', '-I', '-o', '-W'],
  file: ['-f', '--file', '--makefile'],
  folder: ['-C', '--directory'],
  cut: makeRecipes,
  makesFiles: true,
};

const JUST: RecipeForm = {
  names: ['justfile', 'Justfile', '.justfile'],
  withValue: ['-f', '--justfile', '-d', '--working-directory', '--set', '--shell'],
  file: ['-f', '--justfile'],
  folder: ['-d', '--working-directory'],
  cut: (text, targets) => {
    // The words after a recipe are its arguments.
    const known = targets.filter((target, index) => index === 0 || justRecipes(text, [target]).text !== null);
    return justRecipes(text, known);
  },
  makesFiles: false,
};

function followRecipes(form: RecipeForm, args: readonly string[], folder: string, trail: Trail): Lead {
  const { values, operands } = readOptions(args, form.withValue);
  const given = (names: readonly string[]) =>
    names.map((name) => values.get(name)).find((value) => value !== undefined);
  const home = pathIn(folder, given(form.folder) ?? '.');
  const file = given(form.file);
  if (home === null) return {};
  const named = file === undefined ? null : pathIn(home, file);
  const paths = named === null ? form.names.map((name) => inFolder(home, name)) : [named];
  // `make -j 4` contains a number that isn't a target.
  const targets = operands.filter((word) => !word.includes('=') && !/^\d+$/.test(word));
  const own = paths.map((path) => trail.read(path)).find((each) => each !== null) ?? '';
  const included = includedFiles(own, home, trail);
  const text = [own, ...included.map((path) => trail.read(path) ?? '')].join('\n');
  const { lines, fileTargets } = form.cut(text, targets);
  const name = targets.length === 0 ? null : targets.join(' ');
  // A target without a rule, such as one from an include, is compared by the whole file.
  return {
    parts: [
      partOf(paths, name, (whole) => form.cut(whole, targets).text ?? whole),
      // An include that the base did not have can override its rules.
      ...included.map((path) => ({ ...wholeFile(path), countsIfAdded: true })),
      ...(form.makesFiles ? finishedTargets({ name, paths, targets, fileTargets, home }, trail) : []),
    ],
    next: lines.flatMap((line) => commandsOfLine(line, home)),
  };
}

/** `include a.mk b.mk`, `-include local.mk`, `include mk/*.mk`: patterns are matched against the changed files. */
function includedFiles(text: string, home: string, { changed }: Trail): string[] {
  const words = [...text.matchAll(/^[ \t]*(?:-?include|sinclude|import)[ \t]+(.{1,500})$/gm)].flatMap(
    ([, operands = '']) => [...operands.matchAll(/[^\s'"()]+/g)].map(([word]) => word),
  );
  return words.flatMap((word) => {
    if (!/[*?]/.test(word)) return pathIn(home, word) ?? [];
    const matches = picomatch(inFolder(home, word.replace(/^\.\//, '')));
    return changed.filter((path) => matches(path));
  });
}

interface MakeTargets {
  readonly name: string | null;
  readonly paths: readonly string[];
  readonly targets: readonly string[];
  readonly fileTargets: readonly string[];
  readonly home: string;
}

/**
 * A new file or folder with the name of a target, or a target that is no longer `.PHONY`: in both cases make runs
 * no recipe.
 */
function finishedTargets(make: MakeTargets, trail: Trail): Part[] {
  const { name, paths, targets, fileTargets, home } = make;
  const targetFiles = fileTargets.map((target) => pathIn(home, target));
  const targetPaths = trail.changed.filter((path) =>
    targetFiles.some((file) => file !== null && (path === file || path.startsWith(`${file}/`))),
  );
  const losesPhony = (base: string, now: string | null) =>
    now !== null &&
    makeRecipes(now, targets).fileTargets.some(
      (target) => !makeRecipes(base, targets).fileTargets.includes(target),
    );
  return [
    { paths, name, differs: losesPhony },
    ...targetPaths.map((path) => ({ paths: [path], name: null, differs: () => false, countsIfAdded: true })),
  ];
}

/** Tables of a pyproject.toml that a program reads. */
function pyprojectParts(folder: string, prefixes: readonly string[]): Part[] {
  return prefixes.map((prefix) =>
    partOf([inFolder(folder, 'pyproject.toml')], prefix, (text) => tomlTables(text, prefix)),
  );
}

const DISABLES_TESTS = /skip|exclu|ignore|disabl|enabled|filter|onlyIf|will_fail|xfail|false/i;
const DEPENDENCY =
  /(?:Implementation|RuntimeOnly|CompileOnly|Api|AnnotationProcessor)\b|\bonly:\s*[[:]|%\s*"?Test\b/;

/**
 * The lines of a build file that concern tests. New lines are fine, since a new test may need one, unless they look
 * like a switch that disables tests.
 */
function testLines(path: string): Part {
  const about = (text: string) =>
    text
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => /test|^include\b/i.test(line) && !DEPENDENCY.test(line));
  return {
    paths: [path],
    name: 'tests',
    differs: (base, now) => {
      const before = about(base);
      const after = about(now ?? '');
      return (
        before.some((line) => !after.includes(line)) ||
        after.some((line) => !before.includes(line) && DISABLES_TESTS.test(line))
      );
    },
  };
}

/** Maven plugins that run tests, and the properties that disable tests. */
function pomPart(path: string): Part {
  return partOf([path], 'tests', (text) =>
    [
      ...text
        .split('</plugin>')
        .map((piece) => piece.slice(Math.max(0, piece.lastIndexOf('<plugin>'))))
        .filter((plugin) => plugin.startsWith('<plugin>') && /surefire|failsafe/.test(plugin)),
      ...[...text.matchAll(/<([\w.-]{1,100})>[^<]*<\//g)]
        .filter(([, name = '']) =>
          /skip|^maven\.test\.|^testFailureIgnore$|^testSourceDirectory$/i.test(name),
        )
        .map(([found]) => found),
    ]
      .map((found) => found.replace(/\s+/g, ' '))
      .join('\n'),
  );
}

/** Keys of a Cargo.toml that disable tests, or that select the files and members to test. */
function cargoPart(path: string): Part {
  const read = (text: string) => {
    let table = '';
    const lines: string[] = [];
    for (const line of text.split('\n').map((each) => each.replace(/#.*/, '').replace(/\s+/g, ''))) {
      table = line.startsWith('[') ? line : table;
      if (/^(?:autotests|test|doctest|harness)=false$/.test(line)) lines.push(line);
      else if (/^\[(?:lib|\[test\])\]$/.test(table) && /^(?:path|required-features)=/.test(line))
        lines.push(`${table}${line}`);
    }
    const members = [...text.matchAll(/^\s*(members|default-members)\s*=\s*\[([^\]]{0,5000})\]/gm)];
    return {
      lines,
      members: members.flatMap(([, key = '', list = '']) =>
        [...list.matchAll(/["']([^"']+)["']/g)].map(([, member = '']) => `${key} ${member}`),
      ),
      excluded: /^\s*exclude\s*=/m.test(text) ? tomlTables(text, 'workspace.exclude') : null,
    };
  };
  return {
    paths: [path],
    name: 'tests',
    differs: (base, now) => {
      const before = read(base);
      const after = read(now ?? '');
      const isNewTest = (line: string) => line.startsWith('[[test]]path=');
      return (
        before.lines.some((line) => !after.lines.includes(line)) ||
        after.lines.some((line) => !before.lines.includes(line) && !isNewTest(line)) ||
        before.members.some((member) => !after.members.includes(member)) ||
        before.excluded !== after.excluded
      );
    },
  };
}

/** `composer test`: a script, which may refer to others with `@`. */
function followComposer(args: readonly string[], folder: string, trail: Trail): Lead {
  const { values, operands } = readOptions(args, ['-d', '--working-dir', '--timeout']);
  const home = pathIn(folder, values.get('-d') ?? values.get('--working-dir') ?? '.');
  const [verb = '', name = ''] = operands;
  if (home === null || verb === '') return {};
  const path = inFolder(home, 'composer.json');
  const scripts = scriptsIn(trail.read(path));
  const scriptNames = [verb === 'run' || verb === 'run-script' ? name : verb];
  const next: string[] = [];
  for (const script of scriptNames) {
    for (const line of (scripts.get(script) ?? '').split('\n')) {
      const other = /^@([\w:.-]+)/.exec(line)?.[1];
      if (other === undefined) next.push(line);
      else if (other === 'composer' || other === 'php') next.push(line.slice(1));
      else if (!scriptNames.includes(other)) scriptNames.push(other);
    }
  }
  return {
    parts: scriptNames.map((script) => jsonPart(path, ['scripts', script])),
    next: next.flatMap((line) => commandsOfLine(line, home)),
  };
}

function followDeno(args: readonly string[], folder: string, trail: Trail): Lead {
  const { values, operands } = readOptions(args, ['-c', '--config', '--cwd']);
  const home = pathIn(folder, values.get('--cwd') ?? '.');
  const config = values.get('-c') ?? values.get('--config');
  const [verb, task = ''] = operands;
  if (home === null || (verb !== 'task' && verb !== 'test' && verb !== 'lint')) return {};
  const paths = config === undefined ? ['deno.json', 'deno.jsonc'] : [config];
  const files = paths.flatMap((path) => pathIn(home, path) ?? []);
  const keys = verb === 'task' ? ['tasks', task] : [verb];
  return joinLeads(
    files.map((path) => ({
      parts: [jsonPart(path, keys)],
      next: verb === 'task' ? commandsOfLine(scriptsIn(trail.read(path), 'tasks').get(task) ?? '', home) : [],
    })),
  );
}

type Follow = (args: readonly string[], folder: string, trail: Trail) => Lead;

/** The program reads the first of these files that exists. */
const firstFile =
  (...names: readonly string[]): Follow =>
  (_args, folder) => ({
    parts: [
      partOf(
        names.map((name) => inFolder(folder, name)),
        null,
        (text) => text,
      ),
    ],
  });

const tables =
  (...prefixes: readonly string[]): Follow =>
  (_args, folder) => ({ parts: pyprojectParts(folder, prefixes) });

/** Build files of the folder, and those in subfolders that the change touches. */
const build =
  (part: (path: string) => Part, ...names: readonly string[]): Follow =>
  (_args, folder, { changed }) => {
    const below = folder === '' ? '' : `${folder}/`;
    const nested = changed.filter(
      (path) => path.startsWith(below) && names.some((name) => path.endsWith(`/${name}`)),
    );
    return { parts: [...new Set([...names.map((name) => inFolder(folder, name)), ...nested])].map(part) };
  };

const make: Follow = (args, folder, trail) => followRecipes(MAKE, args, folder, trail);
const gradle = build(testLines, 'build.gradle', 'build.gradle.kts', 'settings.gradle', 'settings.gradle.kts');
const pytest: Follow = (_args, folder) => ({
  parts: [...pyprojectParts(folder, ['tool.pytest']), ...lockedPackages(folder, 'pytest')],
});

/** By program name. */
export const BUILD_PROGRAMS: Readonly<Record<string, Follow>> = {
  make,
  gmake: make,
  just: (args, folder, trail) => followRecipes(JUST, args, folder, trail),
  composer: followComposer,
  deno: followDeno,
  rake: firstFile('rakefile', 'Rakefile', 'rakefile.rb', 'Rakefile.rb'),
  task: firstFile('Taskfile.yml', 'taskfile.yml', 'Taskfile.yaml', 'taskfile.yaml'),
  invoke: firstFile('tasks.py'),
  inv: firstFile('tasks.py'),
  nox: firstFile('noxfile.py'),
  tox: (_args, folder) => ({
    parts: [
      ...['tox.ini', 'tox.toml'].map((name) => wholeFile(inFolder(folder, name))),
      ...pyprojectParts(folder, ['tool.tox', 'tool.pytest']),
    ],
  }),
  pytest,
  'py.test': pytest,
  coverage: tables('tool.coverage', 'tool.pytest'),
  ruff: tables('tool.ruff'),
  mypy: tables('tool.mypy'),
  pyright: tables('tool.pyright'),
  basedpyright: tables('tool.pyright', 'tool.basedpyright'),
  pylint: tables('tool.pylint'),
  black: tables('tool.black'),
  hatch: tables('tool.hatch.envs', 'tool.pytest'),
  pdm: tables('tool.pdm.scripts'),
  rye: tables('tool.rye.scripts'),
  poe: tables('tool.poe', 'tool.pytest'),
  cargo: build(cargoPart, 'Cargo.toml'),
  mvn: build(pomPart, 'pom.xml'),
  mvnw: build(pomPart, 'pom.xml'),
  gradle,
  gradlew: gradle,
  sbt: build(testLines, 'build.sbt'),
  ctest: build(testLines, 'CMakeLists.txt'),
  meson: build(testLines, 'meson.build'),
  mix: build(testLines, 'mix.exs'),
  turbo: (args, folder, trail) => followTasks('turbo.json', args, folder, trail),
  lerna: (args, folder, trail) => followTasks('lerna.json', args, folder, trail),
  nx: (_args, folder, { changed }) => ({
    parts: [
      wholeFile(inFolder(folder, 'nx.json')),
      ...changed.filter((path) => /(?:^|\/)project\.json$/.test(path)).map(wholeFile),
    ],
  }),
};

/** `turbo run test`: the scripts of that name in every member. */
function followTasks(config: string, args: readonly string[], folder: string, trail: Trail): Lead {
  const { operands } = readOptions(args, ['--filter', '--scope', '--cwd']);
  const scripts = operands.filter((word) => word !== 'run');
  const members = trail.changed.flatMap((path) => /^(.+)\/package\.json$/.exec(path)?.[1] ?? []);
  return joinLeads([
    { parts: [wholeFile(inFolder(folder, config))] },
    ...members.flatMap((member) => scripts.map((script) => followScript(member, script, trail))),
  ]);
}
