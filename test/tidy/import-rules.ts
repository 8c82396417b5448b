import { type Edge, findEdges, findFileCycles, findFolderCycles } from './import-graph.ts';
import { layerOf, mayUsePackage, permission } from './layers.ts';
import { file, isCodeIn, type TidyRule } from './rule.ts';

export const layerRule: TidyRule = {
  name: 'imports only in the directions of its architecture',
  covers: isCodeIn('src', 'harness', 'testing', 'web/src'),
  mustSee: [
    'src/kernel/decide.ts',
    'src/ports/clock.ts',
    'src/runtime/drive/drive.ts',
    'src/main.ts',
    'web/src/main.tsx',
  ],
  check: (files) => [
    ...files
      .filter(({ path }) => layerOf(path).kind === 'unknown')
      .map(({ path }) => `${path}: stands in no folder of the architecture`),
    ...findEdges(files).flatMap(judge),
  ],
  bad: {
    'a pure folder that imports a port': [
      file('src/policy/a.ts', "import type { Tree } from '../ports/tree.ts';"),
    ],
    'a pure folder that imports the runtime dynamically': [
      file('src/kernel/a.ts', "export const load = () => import('../runtime/drive.ts');"),
    ],
    'a pure folder with a node module': [file('src/kernel/a.ts', "import type { Stats } from 'node:fs';")],
    'a pure folder with a node module by its old name': [
      file('src/kernel/a.ts', "export { join } from 'path';"),
    ],
    'a pure folder with another package': [file('src/policy/a.ts', "import { v7 } from 'uuid';")],
    'a pure folder that imports what it computes': [
      file('src/kernel/a.ts', 'export const load = (name: string) => import(name);'),
    ],
    'a port that loads pure code': [file('src/ports/a.ts', "import { STOP } from '../contracts/words.ts';")],
    'a port that loads pure code for types alone': [
      file('src/ports/a.ts', "import { type Word } from '../contracts/words.ts';"),
    ],
    'a port with a package': [file('src/ports/a.ts', "import type { z } from 'zod';")],
    'a runtime that knows an adapter': [
      file('src/runtime/effects/a.ts', "import type { Git } from '../../adapters/git/git.ts';"),
    ],
    'a use case that reads files itself': [
      file('src/app/doctor/a.ts', "import { readFile } from 'node:fs/promises';"),
    ],
    'a use case with a package': [file('src/app/a.ts', "import { confirm } from '@clack/prompts';")],
    'a use case that knows an adapter': [
      file('src/app/a.ts', "import { systemFiles } from '../adapters/project/files.ts';"),
    ],
    'a simulation that knows an adapter': [
      file('src/simulation/a.ts', "import { createRunStore } from '../adapters/run-store/run-store.ts';"),
    ],
    'a harness kit that knows the runtime': [
      file('harness/a.ts', "import type { Deps } from '../runtime/deps.ts';"),
    ],
    'a runtime that knows the harness kit': [
      file('src/runtime/a.ts', "import { harness } from '../harness/harness.ts';"),
    ],
    'a runtime that knows its simulation': [
      file('src/runtime/a.ts', "import type { SimWorld } from '../simulation/sim-world.ts';"),
    ],
    'an adapter that knows another': [
      file('src/adapters/git/a.ts', 'import {', '  run,', "} from '../process/run.ts';"),
    ],
    'an adapter that knows the runtime': [
      file('src/adapters/git/a.ts', "import type { Deps } from '../../runtime/deps.ts';"),
    ],
    'a use case that hashes by itself': [
      file('src/app/a.ts', "import { sha256Hex } from '../node/sha256.ts';"),
    ],
    'a helper over a module of Node that knows an adapter': [
      file('src/node/a.ts', "import { run } from '../adapters/process/run.ts';"),
    ],
    'an adapter that stands in no folder of its own': [file('src/adapters/clock.ts', 'export {};')],
    'a surface that knows an adapter': [
      file('src/surfaces/cli/a.ts', "const git = await import('../../adapters/git/git.ts');"),
    ],
    'a surface that knows the wiring': [
      file('src/surfaces/cli/a.ts', "import type { Wired } from '../../wiring.ts';"),
    ],
    'a surface that asks for the package root': [
      file('src/surfaces/cli/a.ts', "import { packageRoot } from '../../package-root.ts';"),
    ],
    'wiring that knows a surface': [
      file('src/wiring/a.ts', "import type { Verb } from '../surfaces/cli/verb.ts';"),
    ],
    'a library that knows a surface': [file('src/index.ts', "export * from './surfaces/cli/program.ts';")],
    'code that needs its tests': [file('src/runtime/a.ts', "import { fake } from '../../testing/fake.ts';")],
    'a kit that needs the tests': [file('testing/a.ts', "import { run } from '../test/unit/run.ts';")],
    'a page that loads code of the server': [
      file('web/src/a.tsx', "import { STOP } from '../../src/contracts/vocabulary.ts';"),
    ],
    'a page that knows a use case': [file('web/src/a.ts', "import type { A } from '../../src/app/a.ts';")],
    'a page with another package': [file('web/src/a.ts', "import { render } from 'react-dom';")],
    'code that knows the page': [
      file('src/surfaces/http/a.ts', "import { App } from '../../../web/src/app.tsx';"),
    ],
    'a folder nobody has thought of': [file('src/utils/a.ts', 'export {};')],
  },
  good: {
    'pure code that uses pure code and its packages': [
      file(
        'src/policy/a.ts',
        "import picomatch from 'picomatch/posix.js';",
        "import * as z from 'zod';",
        "import { STOP } from '../contracts/words.ts';",
      ),
    ],
    'imports in comments and strings': [
      file(
        'src/kernel/a.ts',
        "// import { a } from 'node:fs';",
        "/* import('node:fs') */",
        'export const text = "import a from \'node:fs\'";',
        "export const more = `${text} import('node:fs') ${'export * from'} `;",
        'export const pattern = /import "node:fs"/;',
      ),
    ],
    'a port with pure types': [
      file(
        'src/ports/a.ts',
        "import type { Word } from '../contracts/words.ts';",
        "import type { B } from './b.ts';",
      ),
    ],
    'a use case with paths, a port and the runtime': [
      file(
        'src/app/a.ts',
        "import { join } from 'node:path';",
        "import { basename } from 'node:path/posix';",
        "import type { Clock } from '../ports/clock.ts';",
        "import { startRun } from '../runtime/drive/start-run.ts';",
      ),
    ],
    'a page with types of documents': [
      file(
        'web/src/a.tsx',
        "import { render } from 'preact';",
        "import type { Report } from '../../src/contracts/cli/cli-report-document.ts';",
        "import { App } from './app.tsx';",
        "import './styles/base.css';",
      ),
    ],
    'a main that sees everything': [
      file(
        'src/main.ts',
        "import { root } from './package-root.ts';",
        "const surface = await import('./surfaces/cli/program.ts');",
        "const wiring = () => import('./wiring.ts');",
      ),
    ],
    'an adapter with a port, its own folder and a package': [
      file(
        'src/adapters/system/clock.ts',
        "import { v7 } from 'uuid';",
        "import { sha256Hex } from '../../node/sha256.ts';",
        "import type { Ids } from '../../ports/run-store.ts';",
        "import { seed } from './seed.ts';",
      ),
    ],
  },
};

function judge(edge: Edge): string[] {
  const from = layerOf(edge.from);
  const offence = (what: string): string[] => [`${edge.from}:${edge.line}: ${what}`];
  if (from.kind === 'unknown') return [];
  if (edge.specifier === null) return offence('imports what it computes');
  if (edge.to === null)
    return mayUsePackage(from, edge.specifier) ? [] : offence(`may not import ${edge.specifier}`);
  switch (permission(from, layerOf(edge.to))) {
    case 'no':
      return offence(`may not import ${edge.to}`);
    case 'types':
      return edge.typeOnly ? [] : offence(`may import only types from ${edge.to}`);
    case 'all':
      return [];
  }
}

export const cycleRule: TidyRule = {
  name: 'has no cycle of files or of pure folders',
  covers: isCodeIn('src', 'harness', 'testing', 'web/src'),
  mustSee: ['src/kernel/decide.ts', 'src/workflow/check-workflow.ts', 'src/runtime/drive/drive.ts'],
  check: (files) => {
    const edges = findEdges(files);
    return [...findFileCycles(edges), ...findFolderCycles(edges)].map((cycle) => cycle.join(' -> '));
  },
  bad: {
    'two files that import each other': [
      file('src/kernel/a.ts', "import { b } from './b.ts';"),
      file('src/kernel/b.ts', "import { a } from './a.ts';"),
    ],
    'a cycle that is closed by a type': [
      file('src/runtime/a.ts', "import { b } from './b.ts';"),
      file('src/runtime/b.ts', "import { c } from './effects/c.ts';"),
      file('src/runtime/effects/c.ts', "import type { A } from '../a.ts';"),
    ],
    'a file that imports itself': [file('src/kernel/a.ts', "export * from './a.ts';")],
    'two folders that import each other through different files': [
      file('src/kernel/a.ts', "import { b } from '../contracts/b.ts';"),
      file('src/contracts/c.ts', "import type { D } from '../kernel/d.ts';"),
    ],
  },
  good: {
    'two ways to the same file': [
      file('src/kernel/a.ts', "import { b } from './b.ts';", "import { c } from './c.ts';"),
      file('src/kernel/b.ts', "import { d } from '../contracts/d.ts';"),
      file('src/kernel/c.ts', "import { d } from '../contracts/d.ts';"),
    ],
  },
};

const BARRELS = ['src/index.ts', 'harness/index.ts', 'testing/index.ts'];

export const barrelRule: TidyRule = {
  name: 'passes on exports of other files only in its three public entries',
  covers: isCodeIn('src', 'harness', 'testing', 'web/src'),
  mustSee: ['src/kernel/decide.ts', 'src/main.ts'],
  check: (files) =>
    findEdges(files)
      .filter((edge) => edge.form === 'export' && !BARRELS.includes(edge.from))
      .map((edge) => `${edge.from}:${edge.line}: passes on ${edge.specifier}`),
  bad: {
    'a star': [file('src/kernel/index.ts', "export * from './decide.ts';")],
    'a type': [file('src/kernel/a.ts', "export type { State } from './state.ts';")],
  },
  good: { 'the public entry': [file('src/index.ts', "export { decide } from './kernel/decide.ts';")] },
};
