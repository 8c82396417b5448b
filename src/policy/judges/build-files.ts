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

/** How `make` or `just` finds its file, and what it runs from it. */
interface RecipeProgram {
  /** In the order in which the program looks for them. */
  readonly fileNames: readonly string[];
  readonly optionsWithValue: readonly string[];
  /** Options that name another file. */
  readonly fileOptions: readonly string[];
  /** Options that name the folder to run in. */
  readonly folderOptions: readonly string[];
  /** The recipes of the targets and of what they depend on. */
  readonly cut: (text: string, targets: readonly string[]) => Recipes;
  /** Whether a target counts as done if a file of its name exists. */
  readonly makesFiles: boolean;
}

const MAKE: RecipeProgram = {
  fileNames: ['GNUmakefile', 'makefile', 'Makefile'],
  optionsWithValue: ['-C', '--directory', '-f', '--file', '--makefile', '-I', '-o', '-W'],
  fileOptions: ['-f', '--file', '--makefile'],
  folderOptions: ['-C', '--directory'],
  cut: makeRecipes,
  makesFiles: true,
};

const JUST: RecipeProgram = {
  fileNames: ['justfile', 'Justfile', '.justfile'],
  optionsWithValue: ['-f', '--justfile', '-d', '--working-directory', '--set', '--shell'],
  fileOptions: ['-f', '--justfile'],
  folderOptions: ['-d', '--working-directory'],
  cut: (text, targets) => {
    // Operands after the first recipe are its arguments, unless they name another recipe.
    const known = targets.filter((target, index) => index === 0 || justRecipes(text, [target]).text !== null);
    return justRecipes(text, known);
  },
  makesFiles: false,
};

function followRecipes(program: RecipeProgram, args: readonly string[], folder: string, trail: Trail): Lead {
  const { values, operands } = readOptions(args, program.optionsWithValue);
  const given = (names: readonly string[]) =>
    names.map((name) => values.get(name)).find((value) => value !== undefined);
  const home = pathIn(folder, given(program.folderOptions) ?? '.');
  const file = given(program.fileOptions);
  if (home === null) return {};
  const named = file === undefined ? null : pathIn(home, file);
  const paths = named === null ? program.fileNames.map((name) => inFolder(home, name)) : [named];
  // `make -j 4` contains a number that isn't a target.
  const targets = operands.filter((word) => !word.includes('=') && !/^\d+$/.test(word));
  const own = paths.map((path) => trail.read(path)).find((each) => each !== null) ?? '';
  const included = includedFiles(own, home, trail);
  const text = [own, ...included.map((path) => trail.read(path) ?? '')].join('\n');
  const { lines, fileTargets } = program.cut(text, targets);
  const name = targets.length === 0 ? null : targets.join(' ');
  return {
    parts: [
      // If a target has no rule in this file, such as one from an include, the whole file is compared.
      partOf(paths, name, (whole) => program.cut(whole, targets).text ?? whole),
      // An include that the base did not have can override its rules.
      ...included.map((path) => ({ ...wholeFile(path), countsIfAdded: true })),
      ...(program.makesFiles ? skippedTargets({ name, paths, targets, fileTargets, home }, trail) : []),
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
 * Finds what keeps make from running the recipe of a target: a new file or folder with the name of the target, or a
 * target that is no longer `.PHONY`.
 */
function skippedTargets(make: MakeTargets, trail: Trail): Part[] {
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
 * The lines of a build file that concern tests. Added lines don't count as a difference, since a new test may need one,
 * unless they look like a switch that disables tests.
 */
function testLines(path: string): Part {
  const cut = (text: string) =>
    text
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => /test|^include\b/i.test(line) && !DEPENDENCY.test(line));
  return {
    paths: [path],
    name: 'tests',
    differs: (base, now) => {
      const before = cut(base);
      const after = cut(now ?? '');
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

/** The program reads these tables of the pyproject.toml. */
const pyprojectTables =
  (...prefixes: readonly string[]): Follow =>
  (_args, folder) => ({ parts: pyprojectParts(folder, prefixes) });

/** The program reads the build files of the folder and of its subfolders; in those, only changed files can differ. */
const buildFiles =
  (part: (path: string) => Part, ...names: readonly string[]): Follow =>
  (_args, folder, { changed }) => {
    const below = folder === '' ? '' : `${folder}/`;
    const nested = changed.filter(
      (path) => path.startsWith(below) && names.some((name) => path.endsWith(`/${name}`)),
    );
    return { parts: [...new Set([...names.map((name) => inFolder(folder, name)), ...nested])].map(part) };
  };

const make: Follow = (args, folder, trail) => followRecipes(MAKE, args, folder, trail);
const gradle = buildFiles(
  testLines,
  'build.gradle',
  'build.gradle.kts',
  'settings.gradle',
  'settings.gradle.kts',
);
const pytest: Follow = (_args, folder) => ({
  parts: [...pyprojectParts(folder, ['tool.pytest']), ...lockedPackages(folder, 'pytest')],
});

/** How to find what a program runs or reads, by the name of the program. */
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
  coverage: pyprojectTables('tool.coverage', 'tool.pytest'),
  ruff: pyprojectTables('tool.ruff'),
  mypy: pyprojectTables('tool.mypy'),
  pyright: pyprojectTables('tool.pyright'),
  basedpyright: pyprojectTables('tool.pyright', 'tool.basedpyright'),
  pylint: pyprojectTables('tool.pylint'),
  black: pyprojectTables('tool.black'),
  hatch: pyprojectTables('tool.hatch.envs', 'tool.pytest'),
  pdm: pyprojectTables('tool.pdm.scripts'),
  rye: pyprojectTables('tool.rye.scripts'),
  poe: pyprojectTables('tool.poe', 'tool.pytest'),
  cargo: buildFiles(cargoPart, 'Cargo.toml'),
  mvn: buildFiles(pomPart, 'pom.xml'),
  mvnw: buildFiles(pomPart, 'pom.xml'),
  gradle,
  gradlew: gradle,
  sbt: buildFiles(testLines, 'build.sbt'),
  ctest: buildFiles(testLines, 'CMakeLists.txt'),
  meson: buildFiles(testLines, 'meson.build'),
  mix: buildFiles(testLines, 'mix.exs'),
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
